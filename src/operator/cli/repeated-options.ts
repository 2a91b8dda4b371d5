import type { CommandUnknownOpts } from '@commander-js/extra-typings';

/**
 * Refuses an option that is given again with another value, and an option beside the one that
 * negates it. Of two organizations, for example, commander would take the last one.
 */
export function refuseOtherValues(command: CommandUnknownOpts): void {
  for (const subcommand of command.commands) refuseOtherValues(subcommand);
  const given = new Map<string, { readonly flag: string; readonly text: string | undefined }>();
  for (const option of command.options) {
    if (option.variadic) continue;
    const name = option.attributeName();
    const flag = option.long ?? option.flags;
    command.on(`option:${option.name()}`, (text?: string) => {
      const first = given.get(name) ?? { flag, text };
      given.set(name, first);
      if (flag !== first.flag) command.error(`Give ${first.flag} or ${flag}, not both.`);
      if (text !== first.text) command.error(`Give ${flag} once: it has two values.`);
    });
  }
}
