import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRuntime } from '../../../runtime/create-runtime.ts'
import type { Runtime } from '../../../runtime/create-runtime.ts'
import type { ParsedLine } from '../arguments.ts'
import { safe } from '../terminal.ts'
import type { Terminal } from '../terminal.ts'

const PATCH = `LP1
F poem.txt
R
the hammer waits,
.
the hammer falls,
.
F verses/second.txt
T
And what was bent is straight.
.
END
`

interface Scene {
  readonly says: string
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
}

const SCENES: readonly Scene[] = [
  {
    says: 'Look around. Names that begin with a dot stay out unless asked for.',
    name: 'list_directory',
    args: { path: '.' },
  },
  {
    says: 'Try to leave the root: refused before anything is opened.',
    name: 'read_file',
    args: { path: '../secret.txt' },
  },
  { says: 'Try again through a link that leads out.', name: 'read_file', args: { path: 'innocent.txt' } },
  {
    says: 'Ask for a private key: denied by name, whatever is in it.',
    name: 'read_file',
    args: { path: 'server.pem' },
  },
  {
    says: 'Mistype an argument: the error says what was meant.',
    name: 'read_file',
    args: { pth: 'poem.txt' },
  },
  {
    says: 'Patch a file nobody has read: refused, because nobody knows what is in it.',
    name: 'apply_patch',
    args: { patch: PATCH },
  },
  { says: 'Read it.', name: 'read_file', args: { path: 'poem.txt' } },
  {
    says: 'Now the patch lands: two files, one of them new, in one transaction.',
    name: 'apply_patch',
    args: { patch: PATCH },
  },
]

/** `tongs demo`: real calls on a temporary folder, each with what it shows. */
export async function demo(_line: ParsedLine, terminal: Terminal): Promise<number> {
  const top = mkdtempSync(join(tmpdir(), 'tongs-demo-'))
  try {
    const root = join(top, 'root')
    mkdirSync(root)
    writeFileSync(join(top, 'secret.txt'), 'not for you\n')
    writeFileSync(join(root, 'poem.txt'), 'The iron glows,\nthe hammer waits,\nthe tongs hold on.\n')
    writeFileSync(join(root, 'server.pem'), 'a private key\n')
    symlinkSync(join(top, 'secret.txt'), join(root, 'innocent.txt'))
    const runtime = await createRuntime({
      root,
      stateDir: join(top, 'state'),
      approve: (requests) => requests.map(() => 'once' as const),
    })
    try {
      terminal.say(`A short tour in ${safe(root)}, which is removed afterwards.`)
      await play(runtime, root, terminal)
      return 0
    } finally {
      await runtime.close()
    }
  } finally {
    rmSync(top, { recursive: true, force: true })
  }
}

async function play(runtime: Runtime, root: string, terminal: Terminal): Promise<void> {
  let execution = ''
  for (const [index, { says, name, args }] of SCENES.entries()) {
    terminal.say(`\n${terminal.colour('bold', `${index + 1}. ${says}`)}`)
    const [result] = await runtime.run([{ id: `demo-${index + 1}`, name, args }], { session: 'demo' })
    if (result === undefined) continue
    execution = result.execution.id
    const mark = result.ok ? terminal.colour('green', 'ok') : terminal.colour('red', result.error.code)
    terminal.say(`   ${name}: ${mark} (${result.execution.state})`)
    showText(result.content, terminal)
  }
  terminal.say(
    `\n${terminal.colour('bold', `${SCENES.length + 1}. Why was it allowed? Every gate, and what it looked at.`)}`,
  )
  for (const { gate, fact, verdict } of runtime.why(execution)[0]?.gates ?? [])
    terminal.say(safe(`   ${verdict.padEnd(4)} ${gate}: ${fact}`))
  terminal.say(
    `\n${terminal.colour('bold', `${SCENES.length + 2}. Take it back: exactly those files, or none.`)}`,
  )
  for (const { path, action } of (await runtime.undo({ session: 'demo' })).files)
    terminal.say(safe(`   ${action}: ${path}`))
  showText(readFileSync(join(root, 'poem.txt'), 'utf8'), terminal)
  terminal.say(
    `   verses/second.txt is ${existsSync(join(root, 'verses', 'second.txt')) ? 'still there' : 'gone'}, and so is its folder`,
  )
  terminal.say('\nEvery call had one result, and every result is on record. See tongs --help for the rest.')
}

function showText(text: string, terminal: Terminal): void {
  for (const line of safe(text).trimEnd().split('\n')) terminal.say(`   ${line}`)
}
