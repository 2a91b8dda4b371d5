import { userInfo } from 'node:os';
import type { Author } from '../shared/unit.js';

/** Names the user who runs the command. In a container the user may have no name. */
export function commandAuthor(): Author {
  return { via: 'command_line', key: null, holder: userName() };
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.()}`;
  }
}
