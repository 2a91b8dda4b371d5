import { Refusal } from '../../src/shared/errors.js';

/** Returns the parts of a refusal without its sentence. Fails when the work is not refused. */
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
