import type { Command } from '@commander-js/extra-typings';
import { Reencryption } from '../../persistence/encryption/reencryption.js';
import { withApplication } from './application.js';

export function define(command: Command): void {
  command
    .description(
      'encrypt stored secrets anew, under ENCRYPTION_KEY; exits 1 if one can be read with no key',
    )
    .action(() =>
      withApplication(async (application, progress) => {
        const { secrets, responses } = await application.get(Reencryption).execute(progress);
        if (secrets.unreadable + responses.unreadable > 0) process.exitCode = 1;
        return { ...secrets, stored_responses: responses };
      }),
    );
}
