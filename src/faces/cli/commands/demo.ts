import { mkdtempSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRuntime } from '../../../runtime/create-runtime.ts'
import type { ParsedLine } from '../arguments.ts'
import { safe } from '../terminal.ts'
import type { Terminal } from '../terminal.ts'

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
    says: 'Read two lines of a file.',
    name: 'read_file',
    args: { path: 'poem.txt', start_line: 2, end_line: 3 },
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
    const runtime = await createRuntime({ root, stateDir: join(top, 'state') })
    try {
      terminal.say(`A short tour in ${safe(root)}, which is removed afterwards.`)
      for (const [index, { says, name, args }] of SCENES.entries()) {
        terminal.say(`\n${terminal.colour('bold', `${index + 1}. ${says}`)}`)
        terminal.say(terminal.colour('dim', `   tongs call ${name} '${JSON.stringify(args)}'`))
        const [result] = await runtime.run([{ id: `demo-${index + 1}`, name, args }], { session: 'demo' })
        if (result === undefined) continue
        const mark = result.ok ? terminal.colour('green', 'ok') : terminal.colour('red', result.error.code)
        terminal.say(`   ${mark} (${result.execution.state})`)
        for (const line of safe(result.content).trimEnd().split('\n')) terminal.say(`   ${line}`)
      }
      terminal.say(
        '\nEvery call had one result, and every result is on record. See tongs --help for the rest.',
      )
      return 0
    } finally {
      await runtime.close()
    }
  } finally {
    rmSync(top, { recursive: true, force: true })
  }
}
