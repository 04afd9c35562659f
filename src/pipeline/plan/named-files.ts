import { allWords, allWordsOf } from '../../core/command/named-words.ts'
import { placesIn } from '../../core/text/secrets/places.ts'
import { redactForApproval } from '../../core/text/secrets/redact.ts'
import type { CallFacts } from '../../policy/facts.ts'
import type { Engine } from '../engine.ts'
import type { Step } from '../step.ts'

/** No file system has a longer name. */
const NAME_CHARS = 255

/**
 * The names of files and programs that a question would hide because they look like secrets: what the call claims, and words
 * of its command, or parts of them, that are there. Without them a person does not see what is meant.
 */
export function findNamedFiles(
  { call, facts }: Pick<Step, 'call' | 'facts'>,
  engine: Engine,
): readonly string[] {
  const shown = placesIn(call.args)
  const isHidden = (name: string): boolean => redactForApproval(name, { places: shown }) !== name
  const claimed = facts.claims.map(({ claim }) => claim.path)
  const words = wordsOf(facts).filter((word) => word.length <= NAME_CHARS)
  const folder = folderOf(facts)
  const isThere = (word: string): boolean => {
    const found = engine.workspace.locate({ path: `${folder}/${word}`, intent: 'list' })
    if (found.ok && found.kind !== 'missing') return true
    return PROGRAM.test(word) && engine.shell.findProgram(word, { argv: [word], cwd: folder }) !== null
  }
  return [
    ...new Set([...claimed.filter(isHidden), ...words.filter((word) => isHidden(word) && isThere(word))]),
  ]
}

/** The folder that a command runs in is the last one that its call claims. */
export function folderOf({ claims }: Pick<CallFacts, 'claims'>): string {
  return claims.findLast(({ claim }) => claim.intent === 'list')?.claim.path ?? '.'
}

function wordsOf({ tool }: CallFacts): readonly string[] {
  const command = tool?.command ?? null
  if (command === null) return []
  const words = command.kind === 'words' ? allWords(command.words) : allWordsOf(command.text)
  return words.flatMap((word) => [word, ...word.split(PART)])
}

/** What is looked up on PATH. */
const PROGRAM = /^[\w.-]+$/
/** What separates the parts of a word: an option from its value, and what is given to a program as code. */
const PART = /[\s"'`=:,;&|<>()]+/
