import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeRepository } from '../host/confine/git-attacks.ts'
import { makeScratch } from '../harness/scratch.ts'
import { callIn, programEntry, serverBench } from './server-bench.ts'

describe('repositories below a folder that a server writes', () => {
  it('keep their configuration', async () => {
    const folder = makeScratch().at('written')
    const config = join(makeRepository(join(folder, 'deep', 'repo')), '.git/config')
    const before = readFileSync(config, 'utf8')
    const made = serverBench(programEntry('sample-server.ts', [config], { write: [folder] }))
    const runtime = await made.openTrusted()
    const result = await callIn(runtime, 's__append', { value: '[core]' })
    await runtime.close()
    expect(result.content).toContain('EROFS')
    expect(readFileSync(config, 'utf8')).toBe(before)
  })

  it('are set aside and named if a call makes one', async () => {
    const folder = makeScratch().at('written')
    mkdirSync(join(folder, 'docs'), { recursive: true })
    const git = join(folder, 'docs', '.git')
    const made = serverBench(programEntry('sample-server.ts', [git], { write: [folder] }))
    const runtime = await made.openTrusted()
    const result = await callIn(runtime, 's__append', { value: 'gitdir: ../x' })
    expect(result.ok).toBe(false)
    expect(result.content).toContain(git)
    expect(existsSync(git)).toBe(false)
    expect(existsSync(`${git}.refused`)).toBe(true)
    await runtime.close()
  })
})
