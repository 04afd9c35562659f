import { spawn } from 'node:child_process'
import { TONGS } from '../faces/cli/command-line.ts'
import type { CommandEnd } from './command.ts'
import type { Place } from './place.ts'

/** Runs a command line in a process of its own; cancelling interrupts it as Ctrl-C does. */
export function startTongs(
  { root, env }: Place,
  words: readonly string[],
  cancel: AbortSignal | null = null,
): Promise<CommandEnd> {
  const { promise, resolve, reject } = Promise.withResolvers<CommandEnd>()
  // A session of its own has no controlling terminal, whoever runs the tests.
  const child = spawn(TONGS, [...words, '--no-input', '--root', root], { cwd: root, env, detached: true })
  let [out, err] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (out += chunk))
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (err += chunk))
  child.on('error', reject)
  child.on('close', (code) => resolve({ code, out, err }))
  child.stdin.on('error', () => undefined).end()
  cancel?.addEventListener('abort', () => child.kill('SIGINT'), { once: true })
  return promise
}
