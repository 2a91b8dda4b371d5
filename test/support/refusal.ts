import { Refusal } from '../../src/shared/errors.js';

/** The parts of a refusal but the sentence. Fails when the work is not refused. */
export function refusalOf(work: () => unknown): Pick<Refusal, 'code' | 'errors' | 'resource'> {
  try {
    work();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { code, errors, resource } = error;
    return { code, errors, resource };
  }
  throw new Error('Nothing was refused.');
}
