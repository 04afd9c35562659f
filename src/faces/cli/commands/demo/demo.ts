import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRuntime } from '../../../../runtime/create-runtime.ts'
import type { Runtime } from '../../../../runtime/create-runtime.ts'
import type { ParsedLine } from '../../arguments.ts'
import { safe } from '../../terminal.ts'
import type { Terminal } from '../../terminal.ts'
import { killMeanwhile } from './demo-kill.ts'

const SESSION = 'demo'

const FILES = {
  'fire.txt': 'The fire is low,\n',
  'hammer.txt': 'the hammer waits,\n',
  'tongs.txt': 'the tongs hold on.\n',
} as const

/** Deleted by a command, and restored. */
const FOLDER = 'sparks'

const PATCH = `LP1
F fire.txt
R
The fire is low,
.
The fire is bright,
.
F hammer.txt
R
the hammer waits,
.
the hammer falls,
.
F tongs.txt
R
the tongs hold on.
.
the tongs hold fast.
.
END
`

/** The temporary folders of the tour. */
interface Stage {
  readonly root: string
  readonly stateDir: string
  readonly terminal: Terminal
  /** Prints the numbered title of the next scene. */
  readonly scene: (says: string) => void
}

/** `tongs demo`: real calls on a temporary folder, including a real `kill -9`. */
export async function demo(_line: ParsedLine, terminal: Terminal): Promise<number> {
  const top = mkdtempSync(join(tmpdir(), 'tongs-demo-'))
  try {
    const root = join(top, 'root')
    mkdirSync(root)
    for (const [name, text] of Object.entries(FILES)) writeFileSync(join(root, name), text)
    mkdirSync(join(root, FOLDER))
    writeFileSync(join(root, FOLDER, 'one.txt'), 'A spark.\n')
    writeFileSync(join(top, 'secret.txt'), 'not for you\n')
    writeFileSync(join(root, 'server.pem'), 'a private key\n')
    symlinkSync(join(top, 'secret.txt'), join(root, 'innocent.txt'))
    terminal.print(`A short tour in ${safe(root)}, which is removed afterwards.`)
    await play(createStage(root, join(top, 'state'), terminal))
    return 0
  } finally {
    rmSync(top, { recursive: true, force: true })
  }
}

function createStage(root: string, stateDir: string, terminal: Terminal): Stage {
  let count = 0
  return {
    root,
    stateDir,
    terminal,
    scene: (says) => terminal.print(`\n${terminal.paint('bold', `${++count}. ${says}`)}`),
  }
}

async function play(stage: Stage): Promise<void> {
  const { root, stateDir, terminal, scene } = stage
  await withRuntime(stage, async (runtime) => {
    scene('Three files, a folder, and a link that leads out of the folder.')
    await call(runtime, 'list_directory', { path: '.' }, stage)
    scene('Forbidden reads are refused: outside the folder, through a link, by a denied name.')
    for (const path of ['../secret.txt', 'innocent.txt', 'server.pem'])
      await call(runtime, 'read_file', { path }, stage)
    scene('A patch over all three. Files that were not read first are not changed.')
    await call(runtime, 'apply_patch', { patch: PATCH }, stage)
    for (const path of Object.keys(FILES)) await call(runtime, 'read_file', { path }, stage)
  })

  scene('The same patch again, and kill -9 in the middle: one file is in place, two are not yet.')
  const signal = await killMeanwhile({
    root,
    stateDir,
    session: SESSION,
    name: 'apply_patch',
    args: { patch: PATCH },
    lastFile: 'fire.txt',
  })
  terminal.print(safe(`   the process ended by ${signal ?? 'itself'}`))
  showFiles(stage)

  await withRuntime(stage, async (runtime) => {
    scene('Opened again: what was committed is finished before anything else happens.')
    showFiles(stage)
    const execution = newestCall(runtime)
    scene('Why was it allowed? Every gate, and what it looked at.')
    const explained = runtime.why(execution)[0]
    terminal.print(safe(`   apply_patch was ${explained?.verdict ?? ''} and is ${explained?.state ?? ''}`))
    for (const { gate, fact, verdict } of explained?.gates ?? [])
      terminal.print(safe(`   ${verdict.padEnd(4)} ${gate}: ${fact}`))
    scene('Taken back: exactly those files, or none.')
    for (const { path, action } of (await runtime.undo({ session: SESSION })).files)
      terminal.print(safe(`   ${action}: ${path}`))
    showFiles(stage)
    scene('A command deletes a folder, and that is taken back as well.')
    await deleteFolder(runtime, stage)
    scene('And the log verifies.')
    const { ok, events } = await runtime.verify({ session: SESSION })
    terminal.print(`   ${events} events, ${ok ? 'an unbroken chain' : 'but the chain is broken'}`)
  })
  terminal.print('\nYour turn: tongs opens the app, tongs --help lists the commands.')
}

/** Runs a command that deletes a folder, and takes it back; where commands cannot run, it says why. */
async function deleteFolder(runtime: Runtime, stage: Stage): Promise<void> {
  const { root, terminal } = stage
  const state = (): string => (existsSync(join(root, FOLDER)) ? 'there' : 'gone')
  const args = { cmd: ['rm', '-r', FOLDER] }
  const [result] = await runtime.run([{ id: 'rm', name: 'run_shell', args }], { session: SESSION })
  if (result?.ok !== true || result.result['layer'] === 'none') {
    const why = result?.ok === false ? result.error.message : 'There is no layer for commands here.'
    return terminal.print(safe(`   ${why} See tongs doctor.`))
  }
  terminal.print(`   rm -r ${FOLDER}: ${terminal.paint('green', 'ok')}, and ${FOLDER} is ${state()}`)
  const { files } = await runtime.undo({ session: SESSION })
  for (const { path, action } of files)
    terminal.print(safe(`   ${action}: ${path}, and ${FOLDER} is ${state()}`))
}

/** Runs a scene in a fresh runtime; opening it finishes what an earlier process left. */
async function withRuntime(
  { root, stateDir }: Stage,
  act: (runtime: Runtime) => Promise<void>,
): Promise<void> {
  const runtime = await createRuntime({
    root,
    stateDir,
    approve: (requests) => requests.map(() => 'once' as const),
  })
  try {
    await runtime.ready()
    await act(runtime)
  } finally {
    await runtime.close()
  }
}

async function call(
  runtime: Runtime,
  name: string,
  args: Readonly<Record<string, unknown>>,
  { terminal }: Stage,
): Promise<void> {
  const [result] = await runtime.run([{ id: name, name, args }], { session: SESSION })
  if (result === undefined) return
  const mark = result.ok ? terminal.paint('green', 'ok') : terminal.paint('red', result.error.code)
  const about = typeof args['path'] === 'string' ? ` ${args['path']}` : ''
  const said = name === 'list_directory' && result.ok ? listNames(result.result) : result.content
  terminal.print(`   ${name}${about}: ${mark}`)
  for (const line of safe(said).trimEnd().split('\n')) terminal.print(`      ${line}`)
}

function listNames({ entries }: Readonly<Record<string, unknown>>): string {
  if (!Array.isArray(entries)) return ''
  return (entries as readonly { readonly name?: unknown }[]).map(({ name }) => String(name)).join(' ')
}

function newestCall(runtime: Runtime): string {
  const settled = [...runtime.log({ session: SESSION })].flatMap(({ entry }) =>
    entry.kind === 'settled' ? [entry.execution] : [],
  )
  return settled.at(-1) ?? ''
}

function showFiles({ root, terminal }: Stage): void {
  for (const name of Object.keys(FILES)) {
    const path = join(root, name)
    const text = existsSync(path) ? readFileSync(path, 'utf8').trimEnd() : '(gone)'
    terminal.print(safe(`   ${name.padEnd(10)} ${text}`))
  }
}
