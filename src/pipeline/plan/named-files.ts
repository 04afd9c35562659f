import { posix } from 'node:path'
import { readShown, readShownOf } from '../../core/command/shown-words.ts'
import type { ShownWords } from '../../core/command/shown-words.ts'
import { placesIn, readArguments } from '../../core/text/secrets/places.ts'
import { isPartOf, redactForApproval } from '../../core/text/secrets/redact.ts'
import { hiddenAmong, namesAmong } from '../../core/text/secrets/shown-names.ts'
import type { CallFacts } from '../../policy/facts.ts'
import type { Engine } from '../engine.ts'
import type { Preview } from '../execute/preview.ts'
import type { Step } from '../step.ts'

/** So many hidden values are looked for; a question with more of them shows the others. */
const MOST_HIDDEN = 64
/** Files are looked for beside those that would change, in so many folders. */
const MOST_FOLDERS = 8

/**
 * What a question would hide because it looks like a secret, although it names something: what the call claims, the words of
 * the command that would run, what stands for a name in a text or a diff, and files and programs that are there. Without
 * them a person does not see what is meant.
 */
export function findNamedFiles(
  { call, facts }: Pick<Step, 'call' | 'facts'>,
  preview: Preview,
  engine: Engine,
): readonly string[] {
  const shown = placesIn(call.args)
  const isHidden = (name: string): boolean => redactForApproval(name, { places: shown }) !== name
  const diff = preview.is === 'shown' ? preview.diff : ''
  const { said } = readArguments(call.args, diff !== '')
  const { names, texts } = wordsOf(facts, preview)
  const named = namesAmong([
    ...said,
    ...texts.map((text) => ({ text, as: 'text' }) as const),
    { text: diff, as: 'lines' },
  ])
  const claimed = facts.claims.map(({ claim }) => claim.path)
  const isShown = isPartOf(shown)
  const found = [...[...claimed, ...names].filter(isHidden), ...named.filter((value) => !isShown(value))]
  const all = [...said.map(({ text }) => text), ...texts, ...names, diff]
  const left = [...hiddenAmong(all, new Set([...shown, ...found]))].filter(([value]) => !isShown(value))
  const folders = foldersOf(facts, preview)
  const there = left.filter(
    ([, words], index) =>
      index >= MOST_HIDDEN || words.values().some((word) => isThere(word, folders, engine)),
  )
  return [...new Set([...found, ...there.map(([value]) => value)])]
}

function isThere(word: string, folders: readonly string[], engine: Engine): boolean {
  const [folder = '.'] = folders
  return (
    folders.some((one) => {
      const found = engine.workspace.locate({ path: `${one}/${word}`, intent: 'list' })
      return found.ok && found.kind !== 'missing'
    }) ||
    (PROGRAM.test(word) && engine.shell.findProgram(word, { argv: [word], cwd: folder }) !== null)
  )
}

/** Where what a call names may be: in its folder, in the root, and beside what it changes. */
function foldersOf(facts: CallFacts, preview: Preview): readonly string[] {
  const landing = preview.is === 'shown' ? (preview.landing?.changes ?? []) : []
  const beside = [...facts.claims.map(({ claim }) => claim.path), ...landing.map(({ path }) => path)]
  return [...new Set([folderOf(facts), '.', ...beside.map((path) => posix.dirname(path))])].slice(
    0,
    MOST_FOLDERS,
  )
}

/** The folder that a command runs in is the last one that its call claims. */
export function folderOf({ claims }: Pick<CallFacts, 'claims'>): string {
  return claims.findLast(({ claim }) => claim.intent === 'list')?.claim.path ?? '.'
}

/** The words of all that would start, whatever the arguments are called that it is made of. */
function wordsOf({ tool }: CallFacts, preview: Preview): ShownWords {
  const command = tool?.command ?? null
  const starts = preview.is === 'unknown' ? (preview.starts ?? []) : []
  const shown = [
    ...(command?.kind === 'line' ? [readShownOf(command.text)] : []),
    ...(command?.kind === 'words' ? [readShown(command.words)] : []),
    ...starts.map(({ argv }) => readShown(argv)),
  ]
  return { names: shown.flatMap(({ names }) => names), texts: shown.flatMap(({ texts }) => texts) }
}

/** What is looked up on PATH. */
const PROGRAM = /^[\w.-]+$/
