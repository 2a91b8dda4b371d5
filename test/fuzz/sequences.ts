/** Plays sequences on real services. What is found is played again on a new one, as long as less of it does the same. */
import { readFileSync } from 'node:fs';
import { createDatabase } from '../support/postgres.js';
import { Stage } from './stage.js';
import { type Step, sequencesOf, shown } from './steps.js';
import { openWorld } from './world.js';

export interface SequenceOptions {
  readonly seed: number;
  /** Only this one of them. */
  readonly number?: number | undefined;
}

/** A fault without its figures and identifiers. */
const kindOf = (fault: string) => fault.replaceAll(/\d+|_[0-9a-z]{26}/g, '').slice(0, 120);

/** The first fault of each kind, with the shortest sequence that was seen to cause it. */
export async function playSequences({ seed, number }: SequenceOptions) {
  const statuses: Record<string, number> = {};
  const found = new Map<string, string>();
  const sequences = sequencesOf(JSON.parse(readFileSync('docs/openapi.json', 'utf8')), seed);

  const open = async () => {
    const database = await createDatabase();
    const world = await openWorld(database.url);
    const stage = new Stage(world, statuses);
    const play = (steps: readonly Step[]) => stage.play(steps).catch((error: Error) => [error.message]);
    return { play, close: () => world.close().then(database.drop) };
  };
  const does = async (steps: readonly Step[], kind: string) => {
    const { play, close } = await open();
    const faults = await play(steps).finally(close);
    return faults.some((fault) => kindOf(fault) === kind);
  };
  const shortest = async (steps: readonly Step[], kind: string) => {
    let least = steps;
    for (const step of steps) {
      const fewer = least.filter((one) => one !== step);
      if (await does(fewer, kind)) least = fewer;
    }
    return least;
  };

  let opened = await open();
  for (const [at, steps] of sequences.entries()) {
    if (number !== undefined && at !== number) continue;
    const faults = await opened.play(steps);
    if (faults.length === 0) continue;
    await opened.close();
    const unknown = faults.filter((fault) => !found.has(kindOf(fault)));
    const least = unknown[0] === undefined ? steps : await shortest(steps, kindOf(unknown[0]));
    for (const fault of unknown) found.set(kindOf(fault), `sequence ${at}: ${fault}, by ${shown(least)}`);
    opened = await open();
  }
  await opened.close();
  return { faults: [...found.values()], sequences: sequences.length, statuses };
}
