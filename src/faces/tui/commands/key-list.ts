/** The keys of the app and what they do, as the help and the documentation say it. */
export const KEYS: readonly (readonly [keys: string, says: string])[] = [
  ['Enter', 'send'],
  ['Ctrl-J, Alt-Enter', 'begin another line, as does a \\ at the end of one before Enter'],
  ['Up, Down', 'what was typed before'],
  ['Tab', 'complete; with nothing typed, the JSON of the chosen or the last call, and back'],
  ['Ctrl-P, Ctrl-N', 'choose the call before, the call after; a click chooses one and opens it'],
  ['Ctrl-O', 'open its file in $EDITOR, at its line'],
  ['Ctrl-G', 'explain it, as /why does'],
  ['PgUp, PgDn, the wheel', 'scroll the conversation'],
  ['Ctrl-End', 'back to its end'],
  ['Shift-Up, Shift-Down', 'scroll the output of a running command'],
  ['Shift-Tab', 'the next preset'],
  ['Ctrl-Z', 'back to the shell; fg brings the app back'],
  ['Esc, Ctrl-C', 'cancel what is going on; a second time within two seconds leaves the app'],
  ['Ctrl-D', 'leave, where nothing is typed'],
]
