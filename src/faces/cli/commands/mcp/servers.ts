import { addServer, namesOfServers, removeServer, showServer } from '../../../../config/edit-servers.ts'
import type { ServerEntry } from '../../../../config/edit-servers.ts'
import { servers as serversKind } from '../../../../config/kinds/servers-kind.ts'
import { prepareEdit } from '../../../../runtime/configure/user-configuration.ts'
import type { ServerInspection, ServerView } from '../../../../runtime/servers/open-servers.ts'
import { unknownServer } from '../../../../runtime/servers/sign-in-at.ts'
import { forgetServer } from '../../../../runtime/servers/trusted-pins.ts'
import { describeServer } from '../../../../servers/show-definition.ts'
import type { ParsedLine } from '../../arguments.ts'
import { UsageError } from '../../errors.ts'
import { findWitnessedAnyway, openRuntime } from '../../open.ts'
import { askYes } from '../../prompts/short-questions.ts'
import type { Terminal } from '../../terminal.ts'
import { safe, safeWords } from '../../terminal.ts'
import { login, logout } from './sign-in.ts'

const PATIENCE_SECONDS = 300

type Verb = (line: ParsedLine, terminal: Terminal) => Promise<number>

/** The commands about servers of others, by their verb. */
export const SERVER_COMMANDS: Readonly<Record<string, Verb>> = {
  list,
  add,
  remove,
  trust,
  login: async (line, terminal) => login(nameIn(line), line, terminal),
  logout: async (line, terminal) => logout(nameIn(line), line, terminal),
}

/** `tongs mcp list`: the configured servers, their tools and what went wrong last. */
async function list(line: ParsedLine, terminal: Terminal): Promise<number> {
  const runtime = await openRuntime(line, terminal)
  try {
    const all = runtime.servers.list()
    if (line.has('--json')) terminal.json({ servers: all })
    else if (all.length === 0) terminal.say('No MCP servers are configured; see tongs mcp add.')
    else for (const server of all) show(server, terminal)
    return 0
  } finally {
    await runtime.close()
  }
}

function show(
  { name, where, state, effect, sandbox, tools, refused, lastError, isSignedIn }: ServerView,
  terminal: Terminal,
): void {
  const says = {
    off: 'off',
    untrusted: `not trusted yet: tongs mcp trust ${name}`,
    trusted: `${countTools(tools.length)}, ${effect}`,
  }
  terminal.print(`${terminal.paint('bold', safe(name))}  ${safe(says[state])}`)
  terminal.say(safe(`  ${where}${isSignedIn ? ', signed in' : ''}`))
  if (sandbox !== null) terminal.say(safe(`  sandbox: ${sandbox}`))
  for (const tool of tools) terminal.print(safe(`  ${tool}`))
  for (const one of refused) terminal.say(`  ${safeWords(`${one.name} is not used: ${one.why}`)}`)
  if (lastError !== null) terminal.say(terminal.paint('yellow', `  last error: ${safeWords(lastError)}`))
}

/** `tongs mcp add NAME [options] -- PROGRAM ARGS…`, or with `--url`: writes the user's own configuration file. */
async function add(line: ParsedLine, terminal: Terminal): Promise<number> {
  const [, name, command, ...args] = line.words
  const url = line.value('--url')
  if (name === undefined || (url === undefined) === (command === undefined))
    throw new UsageError(
      'mcp add needs a name, and a program or --url',
      'usage: tongs mcp add NAME [--read PATH…] [--network] -- PROGRAM ARGS…, or tongs mcp add NAME --url URL',
    )
  const entry: ServerEntry = {
    ...(command === undefined ? {} : { command }),
    ...(args.length === 0 ? {} : { args }),
    ...(url === undefined ? {} : { url }),
    ...pairsOf('env', '--env', line),
    ...pairsOf('headers', '--header', line),
    ...listOf('tools', '--tool', line),
    ...listOf('read', '--read', line),
    ...listOf('write', '--write', line),
    ...(line.has('--network') ? { network: true } : {}),
    ...(line.value('--effect') === undefined ? {} : { effect: line.value('--effect') ?? '' }),
  }
  const reading = serversKind().read({ [name]: entry })
  if (!reading.ok) {
    const [fault] = reading.faults
    throw new UsageError(
      `${fault?.path.join('.') ?? name}: ${fault?.message ?? 'is wrong'}`,
      fault?.hint ?? 'see docs/tasks/use-mcp-servers.md',
    )
  }
  const change = await prepareEdit(
    process.env,
    (text) => addServer(text, name, entry),
    showServer(name, entry),
  )
  if (line.has('--dry-run')) return sayWould(line, terminal, { added: name, file: change.file }, 'add', 'to')
  change.write()
  if (line.has('--json')) terminal.json({ added: name, file: change.file })
  else
    terminal.say(safe(`Added ${name} to ${change.file}. Read what it offers with: tongs mcp trust ${name}`))
  return 0
}

/** What a dry run says in place of what would be done. */
function sayWould(
  line: ParsedLine,
  terminal: Terminal,
  done: Readonly<Record<string, string>>,
  verb: string,
  where: string,
): number {
  const [name = '', file = ''] = Object.values(done)
  if (line.has('--json')) terminal.json({ ...done, dry_run: true })
  else terminal.say(safe(`Would ${verb} ${name} ${where} ${file}.`))
  return 0
}

function listOf(key: string, option: string, line: ParsedLine): ServerEntry {
  const given = line.values(option)
  return given.length === 0 ? {} : { [key]: given }
}

function pairsOf(key: string, option: string, line: ParsedLine): ServerEntry {
  const pairs = line.values(option).map((text) => {
    const at = text.indexOf('=')
    if (at < 1) throw new UsageError(`${option} takes NAME=VALUE`, "for example --env 'TOKEN=${MY_TOKEN}'")
    return [text.slice(0, at), text.slice(at + 1)] as const
  })
  return pairs.length === 0 ? {} : { [key]: Object.fromEntries(pairs) }
}

/** `tongs mcp remove NAME`: takes a server out of the user's configuration and forgets what was trusted. */
async function remove(line: ParsedLine, terminal: Terminal): Promise<number> {
  const name = nameIn(line)
  const change = await prepareEdit(
    process.env,
    async (text) => {
      // What cannot be read is said by the removal.
      const names = await namesOfServers(text)
      if (names?.includes(name) === false) throw unknownServer(name, names)
      return removeServer(text, name)
    },
    `# remove the table [mcp.servers.${name}]`,
  )
  if (line.has('--dry-run'))
    return sayWould(line, terminal, { removed: name, file: change.file }, 'remove', 'from')
  change.write()
  forgetServer(await findWitnessedAnyway(line, terminal), name)
  if (line.has('--json')) terminal.json({ removed: name, file: change.file })
  else terminal.say(safe(`Removed ${name} from ${change.file}.`))
  return 0
}

/** `tongs mcp trust NAME`: shows what a server offers, or what changed, and asks whether to use it. */
async function trust(line: ParsedLine, terminal: Terminal): Promise<number> {
  const name = nameIn(line)
  const runtime = await openRuntime(line, terminal)
  try {
    const inspection = await runtime.servers.inspect(name)
    if (!line.has('--json')) present(inspection, terminal)
    const isSame = inspection.wasTrusted && inspection.diff === ''
    if (line.has('--dry-run')) {
      if (line.has('--json')) terminal.json({ ...inspection, trusted: isSame, dry_run: true })
      else terminal.say('Nothing was trusted: this is a dry run.')
      return 0
    }
    const count = inspection.definitions.length
    const question = count === 1 ? 'Use this tool as it is now?' : `Use these ${count} tools as they are now?`
    const isWanted =
      isSame || line.has('--yes') || (!line.has('--no-input') && (await askYes(question, PATIENCE_SECONDS)))
    if (isWanted) runtime.servers.trust(inspection)
    if (line.has('--json')) terminal.json({ ...inspection, trusted: isWanted })
    else if (isSame) terminal.say('Nothing has changed since you trusted it.')
    else if (isWanted) terminal.say(safe(`Trusted. A tool that changes is refused until you run this again.`))
    else terminal.warn('tongs: nothing was trusted; answer yes, or give --yes')
    return isWanted ? 0 : 4
  } finally {
    await runtime.close()
  }
}

function present(inspection: ServerInspection, terminal: Terminal): void {
  const { diff, tools, ends } = describeServer(inspection)
  terminal.write(safe(diff))
  for (const { name, lines } of tools) {
    const [first = '', ...rest] = lines
    terminal.print(`${terminal.paint('bold', safeWords(name))}  ${safeWords(first)}`)
    // Set apart, so that no line of the server's looks like one of ours.
    for (const one of rest) terminal.print(`    ${safeWords(one)}`)
  }
  for (const line of ends) terminal.say(safeWords(line))
}

function countTools(count: number): string {
  return count === 1 ? '1 tool' : `${count} tools`
}

function nameIn(line: ParsedLine): string {
  const [verb, name, more] = line.words
  if (name !== undefined && more === undefined) return name
  throw new UsageError(`mcp ${verb ?? ''} needs one name`, 'tongs mcp list shows the names')
}
