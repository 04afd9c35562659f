export const SHELLS: ReadonlySet<string> = new Set('sh bash dash zsh ksh mksh ash fish rbash'.split(' '))

/** Programs that take the text of a script as an argument. */
const SCRIPTED: ReadonlySet<string> = new Set(
  'eval su runuser ssh watch parallel script trap at batch screen tmux expect'.split(' '),
)

/** Programs whose remaining words are another command. */
const RUNNERS: ReadonlySet<string> = new Set(
  (
    'env sudo doas xargs nice ionice nohup timeout time stdbuf setsid chroot unshare nsenter bwrap firejail ' +
    'strace ltrace gdb exec source . command builtin busybox toybox start-stop-daemon systemd-run flatpak'
  ).split(' '),
)

/** Programs that run code or commands given in some of their arguments. */
const INLINE: ReadonlyMap<string, RegExp> = new Map([
  ['python', /^-[A-Za-z]*c/],
  ['python3', /^-[A-Za-z]*c/],
  ['node', /^(?:-[a-z]*[epr]|--eval|--print|--require|--import)/],
  ['perl', /^-[A-Za-z0-9]*[eE]/],
  ['ruby', /^-[A-Za-z0-9]*e/],
  ['php', /^-[A-Za-z]*r/],
  [
    'git',
    /^(?:-c|-O|-x|--config-env|--exec|--upload-pack|--receive-pack|--ext-diff|--open-files)|^(?:bisect|submodule|difftool|mergetool)$/,
  ],
  ['find', /^-(?:exec|execdir|ok|okdir)$/],
  ['fd', /^(?:-[a-zA-Z]*[xX]|--exec)/],
  ['rg', /^--pre/],
  ['tar', /^(?:--to-command|--checkpoint-action|--use-compress|--rsh|-[A-Za-z]*I)/],
  ['rsync', /^(?:-[a-zA-Z]*e|--rsh|--rsync-path)/],
  ['awk', /\bsystem\b|[|>]/],
  ['gawk', /\bsystem\b|[|>]/],
  ['mawk', /\bsystem\b|[|>]/],
  ['vim', /^(?:-c|\+)/],
  ['vi', /^(?:-c|\+)/],
  ['npm', /^(?:exec|x|-c|--call|explore)$/],
  ['npx', /^(?:-c|--call)/],
  ['docker', /^(?:run|exec|build|buildx|compose)$/],
  ['podman', /^(?:run|exec|build|compose)$/],
])

/** The name of the program without its folder. */
export function programOf(word: string): string {
  return word.slice(word.lastIndexOf('/') + 1)
}

/** Whether a command starts another one, or runs code, given in its arguments. */
export function runsAnother(words: readonly string[]): boolean {
  const [first, ...rest] = words
  if (first === undefined) return false
  const program = programOf(first)
  if (SHELLS.has(program) || RUNNERS.has(program) || SCRIPTED.has(program)) return true
  return isInline(program, rest)
}

/** Whether one of the words of a program is an option behind which code stands. */
function isInline(program: string, rest: readonly string[]): boolean {
  const inline = INLINE.get(program)
  return inline !== undefined && rest.some((word) => inline.test(word))
}

/** Whether a program takes its remaining words for another command. */
export function runsRest(program: string): boolean {
  return RUNNERS.has(program)
}

/** Builtins of a shell that set variables for the commands after them. */
const DECLARATIONS: ReadonlySet<string> = new Set('export declare typeset readonly local'.split(' '))

/** Whether a command sets variables of the shell it is in. */
export function isDeclaration([first = '']: readonly string[]): boolean {
  return DECLARATIONS.has(first)
}

/** The words of a command that a shell would read as scripts. */
export function readScripts(words: readonly string[]): readonly string[] {
  const [first = '', ...rest] = words
  const program = programOf(first)
  if (SCRIPTED.has(program)) {
    const given = rest.filter((word) => !word.startsWith('-') && word.trim() !== '')
    return given.length < 2 ? given : [...given, given.join(' ')]
  }
  if (!SHELLS.has(program)) return []
  const option = rest.findIndex(isScriptOption)
  const script = option === -1 ? undefined : rest.slice(option + 1).find((word) => !/^[-+]/.test(word))
  return script === undefined || script.trim() === '' ? [] : [script]
}

/**
 * Whether a shell reads its commands from its input: it is given neither a script nor the option for one. Other programs
 * may stand before it.
 */
export function readsScript(words: readonly string[]): boolean {
  return readsInput(words, (program) => SHELLS.has(program), isScriptOption)
}

/** The same for any program that runs code, but for shells. */
export function readsCode(words: readonly string[]): boolean {
  return readsInput(
    words,
    (program) => INTERPRETER.test(program),
    (word) => CODE.test(word),
  )
}

const isScriptOption = (word: string): boolean => isLetters(word) && word.includes('c')

const isLetters = (word: string): boolean => /^-[A-Za-z]+$/.test(word)

/** Options behind which code stands. */
const CODE = /^-[A-Za-z]*(?<=[ce])$|^--?(?:eval|print)\b/
/** Interpreters that run what they read, with the number of a version that their name may have. */
const INTERPRETER =
  /^(?:python|pypy|node|bun|deno|perl|ruby|php|lua|luajit|Rscript|osascript|pwsh|tclsh|psql|mysql|sqlite|ed|bc|make|gmake)[\d.]*$/

function readsInput(
  words: readonly string[],
  isReader: (program: string) => boolean,
  isCode: (word: string) => boolean,
): boolean {
  const [first = ''] = words
  const candidates = runsRest(programOf(first)) ? words.map((_, at) => words.slice(at)) : [words]
  return candidates.some(
    ([program = '', ...rest]) =>
      isReader(programOf(program)) && !rest.some((word) => isCode(word)) && hasNoScript(rest),
  )
}

const INPUT = /^-$|^\/dev\/(?:stdin|fd\/0)$/

/** Whether an option says that the script is the input, or all words are options and their values. */
function hasNoScript(rest: readonly string[]): boolean {
  if (rest.some((word) => (isLetters(word) && word.includes('s')) || INPUT.test(word))) return true
  return rest.every((word, at) => /^[-+]/.test(word) || /^[-+]/.test(rest[at - 1] ?? ''))
}
