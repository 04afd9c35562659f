import { basename } from 'node:path'
import { isJsonObject, parseJson } from '../../core/json/value.ts'
import { sanitise } from '../../core/text/display/sanitise.ts'
import { ToolFailure } from '../../core/error.ts'
import type { Files } from '../../core/powers.ts'
import { planTests } from '../../tools/test-runs/plan-tests.ts'
import { listTop } from '../sessions/environment.ts'
import type { NotesDeps } from './read-notes.ts'

/** What a workspace shows of itself, for someone who writes notes about it. */
export interface ProjectFacts {
  /** The notes that exist at the root, by name. */
  readonly existing: readonly string[]
  /** A page of notes with nothing but these facts. */
  readonly draft: string
}

const MAX_FILE_BYTES = 1024 ** 2
/** What newcomers look for first; other scripts can be read where these are. */
const SCRIPTS = ['build', 'test', 'lint', 'format', 'typecheck', 'check', 'start', 'dev']
const PLAIN_NAME = /^[A-Za-z0-9][\w:.-]*$/

/** Gathers how a project is built and tested, and what is at the top of its tree. Nothing is run. */
export async function describeProject(deps: NotesDeps): Promise<ProjectFacts> {
  const { workspace, log, settings, hide } = deps
  const transaction = workspace.begin({ execution: 'notes', session: log.key, ledger: () => null })
  try {
    const { files } = transaction
    const read = (name: string): string | null => {
      const bytes = files.peek(name, MAX_FILE_BYTES)
      return bytes === null ? null : new TextDecoder().decode(bytes)
    }
    const commands = [...listCommands(read), ...(await findTests(files, deps))]
    const title = sanitise(basename(workspace.roots[0] ?? ''), { oneLine: true })
    const draft = [
      `# ${title}`,
      '',
      ...(commands.length === 0 ? [] : ['## Commands', '', ...commands.map((one) => `- ${one}`), '']),
      '## Layout',
      '',
      ...(await listTop(deps)).map((row) => `- ${row}`),
    ].join('\n')
    return {
      existing: settings['conversation.notes'].filter((name) => read(name) !== null),
      draft: `${hide(draft)}\n`,
    }
  } finally {
    transaction.close()
  }
}

function listCommands(read: (name: string) => string | null): readonly string[] {
  const manager = managerOf(read)
  const scripts = scriptsIn(read('package.json'))
  const named = SCRIPTS.filter((name) => scripts.includes(name))
  const makefile = read('Makefile') ?? ''
  const targets = SCRIPTS.filter((name) => new RegExp(`^${name}\\s*:(?!=)`, 'm').test(makefile))
  return [
    ...(scripts.length === 0 ? [] : [`Install: \`${manager} install\``]),
    ...named.map((name) => `${titleOf(name)}: \`${manager} run ${name}\``),
    ...(read('Cargo.toml') === null ? [] : ['Build: `cargo build`']),
    ...(read('go.mod') === null ? [] : ['Build: `go build ./...`']),
    ...targets.map((name) => `${titleOf(name)}: \`make ${name}\``),
  ]
}

function managerOf(read: (name: string) => string | null): string {
  if (read('pnpm-lock.yaml') !== null) return 'pnpm'
  return read('yarn.lock') === null ? 'npm' : 'yarn'
}

function scriptsIn(text: string | null): readonly string[] {
  const parsed = text === null ? undefined : parseJson(text)
  const scripts = isJsonObject(parsed) ? parsed['scripts'] : undefined
  return isJsonObject(scripts) ? Object.keys(scripts).filter((name) => PLAIN_NAME.test(name)) : []
}

function titleOf(name: string): string {
  return `${(name[0] ?? '').toUpperCase()}${name.slice(1)}`
}

/** What `run_tests` would start; nothing if it finds no tests. */
async function findTests(files: Files, { settings }: NotesDeps): Promise<readonly string[]> {
  try {
    const { signal } = new AbortController()
    const { plans } = await planTests({ selector: null, command: null, folder: '', files, settings, signal })
    return plans
      .slice(0, 1)
      .map(
        ({ stem }) => `Tests, as run_tests starts them: \`${sanitise(stem.join(' '), { oneLine: true })}\``,
      )
  } catch (thrown) {
    if (thrown instanceof ToolFailure) return []
    throw thrown
  }
}
