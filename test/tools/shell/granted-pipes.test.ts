import { execFileSync } from 'node:child_process'
import { closeSync, constants, mkdirSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { bench } from '../../bench-folder.ts'
import type { Bench } from '../../bench-folder.ts'
import { makeScratch } from '../../harness/scratch.ts'
import { callIn, programEntry, serverBench } from '../../servers/server-bench.ts'

/** Makes a folder with a pipe in it, which somebody reads while `act` goes on; returns what came. */
async function readWhile(folder: string, act: (pipe: string) => Promise<unknown>): Promise<string> {
  mkdirSync(join(folder, 'deep'), { recursive: true })
  const pipe = join(folder, 'deep', 'pipe')
  execFileSync('mkfifo', [pipe])
  const fd = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    await act(pipe)
    const bytes = Buffer.alloc(100)
    return bytes.toString('utf8', 0, readSync(fd, bytes))
  } finally {
    closeSync(fd)
  }
}

async function echoInto(b: Bench, config: Readonly<Record<string, unknown>>, pipe: string, args: object) {
  const runtime = await b.open({ config, approve: (asked) => asked.map(() => 'once' as const) })
  const cmd = ['sh', '-c', `echo sent >'${pipe}'`]
  await runtime.run([{ id: 'c', name: 'run_shell', args: { cmd, ...args } }])
  await runtime.close()
}

describe('a pipe in a folder', () => {
  it('that a command may read takes nothing from it', async () => {
    const b = bench({})
    const granted = join(b.root, '..', 'granted')
    const named = join(b.root, '..', 'named')
    expect(await readWhile(granted, (pipe) => echoInto(b, {}, pipe, { read: [granted] }))).toBe('')
    const config = { 'tools.shell.read': [named] }
    expect(await readWhile(named, (pipe) => echoInto(b, config, pipe, {}))).toBe('')
  })

  it('that a command may write takes what it sends', async () => {
    const b = bench({})
    const granted = join(b.root, '..', 'granted')
    expect(await readWhile(granted, (pipe) => echoInto(b, {}, pipe, { write: [granted] }))).toBe('sent\n')
  })

  it('that a server may read takes nothing from it', async () => {
    const folder = makeScratch().at('read')
    const came = await readWhile(folder, async (pipe) => {
      const entry = programEntry('sample-server.ts', [pipe]) as { readonly read: readonly string[] }
      const runtime = await serverBench({ ...entry, read: [...entry.read, folder] }).openTrusted()
      await callIn(runtime, 's__append', { value: 'sent' })
      await runtime.close()
    })
    expect(came).toBe('')
  })
})
