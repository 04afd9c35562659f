import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeScratch } from '../harness/scratch.ts'
import { callIn, programEntry, serverBench } from './server-bench.ts'

/** The entry of a server that first tries something in the folder that it writes. */
function entryThatTries(folder: string, line: string) {
  const { command, args, read } = programEntry('sample-server.ts', [])
  return {
    command: '/bin/sh',
    args: ['-c', `cd "$0"; ${line}; exec "$@"`, folder, command, ...args],
    read,
    write: [folder],
  }
}

describe('a denied name in a folder that a server writes', () => {
  it('is not read by its next start because it moved a folder above', async () => {
    const folder = makeScratch().at('written')
    mkdirSync(join(folder, '.config', 'gcloud'), { recursive: true })
    const secret = join(folder, '.config', 'gcloud', 'cred')
    writeFileSync(secret, 'SECRET')
    const made = serverBench(entryThatTries(folder, 'mv .config c; touch ran'))
    // It was started once before, to be trusted.
    const runtime = await made.openTrusted()
    const result = await callIn(runtime, 's__read', { value: join(folder, 'c/gcloud/cred') })
    await runtime.close()
    expect(existsSync(join(folder, 'ran'))).toBe(true)
    expect(result.content).toContain('ENOENT')
    expect(existsSync(secret)).toBe(true)
  })

  it('is not read by its next start because it moved a link that leads there', async () => {
    const folder = makeScratch().at('written')
    mkdirSync(folder)
    writeFileSync(join(folder, 'top'), 'SECRET')
    symlinkSync('top', join(folder, '.npmrc'))
    const made = serverBench(entryThatTries(folder, '[ -e ran ] || { touch ran; mv .npmrc x; sleep 1; }'))
    // It is stopped for that, so that nothing can be trusted yet.
    await expect(made.openTrusted()).rejects.toThrow('.npmrc, which is back in its place')
    const runtime = await made.openTrusted()
    const result = await callIn(runtime, 's__read', { value: join(folder, 'top') })
    await runtime.close()
    expect(result.content).toMatch(/EACCES|ENOENT/)
  })
})
