import * as fs from 'node:fs'
import { describe, expect, it } from 'vitest'
import { codeOf, failureOf, makeScratch } from '../../harness/scratch.ts'
import { makeSandbox, readText } from './make-sandbox.ts'

describe('links', () => {
  it.each([
    ['last part', 'f', '../outside/f.txt', 'f'],
    ['middle', 'd', '../outside', 'd/f.txt'],
    ['dangling', 'f', '../outside/new.txt', 'f'],
    ['dangling folder', 'd', '../outside/new', 'd/f.txt'],
    ['absolute', 'f', '/etc/passwd', 'f'],
    ['through the process', 'd', '/proc/self/root', 'd/etc/passwd'],
    ['to a neighbour', 'd', '../root-evil', 'd/f.txt'],
    ['to the environment', 'f', '/proc/self/environ', 'f'],
    ['to the parent', 'd', '..', 'd/outside/f.txt'],
  ])('NFR-SEC-02: a link that leaves is refused for every intent: %s', (_, name, target, path) => {
    const scratch = makeScratch()
    scratch.file('outside/f.txt')
    scratch.file('root-evil/f.txt')
    scratch.link(`root/${name}`, target)
    const sandbox = makeSandbox(scratch)
    for (const intent of ['read', 'write', 'list'] as const) {
      expect(failureOf(() => sandbox.locate(path, intent))).toMatchObject({
        code: 'path_outside_sandbox',
        details: { reason: 'PathOutsideSandbox', attempted: path },
      })
    }
    expect(fs.readdirSync(scratch.at('outside'))).toEqual(['f.txt'])
  })

  it('refuses names of the root that lead through the process, as links and as arguments', () => {
    const scratch = makeScratch()
    scratch.file('root/f.txt')
    const magic = `/proc/self/root${scratch.at('root/f.txt')}`
    scratch.link('root/magic', magic)
    const sandbox = makeSandbox(scratch, { allowAbsolute: true })
    expect(codeOf(() => sandbox.locate('magic', 'read'))).toBe('path_outside_sandbox')
    expect(codeOf(() => sandbox.locate(magic, 'read'))).toBe('path_outside_sandbox')
  })

  it('NFR-SEC-02: a link made in one call and used in the next is seen', async () => {
    const scratch = makeScratch()
    scratch.file('root/d/f.txt', 'inside')
    scratch.file('outside/f.txt', 'outside')
    const sandbox = makeSandbox(scratch)
    expect(readText(sandbox, 'd/f.txt')).toBe('inside')
    await Promise.resolve()
    fs.rmSync(scratch.at('root/d'), { recursive: true })
    scratch.link('root/d', '../outside')
    expect(codeOf(() => readText(sandbox, 'd/f.txt'))).toBe('path_outside_sandbox')
  })

  it('follows links that package managers make, inside the root', () => {
    const scratch = makeScratch()
    scratch.file('root/node_modules/.store/lib@1/node_modules/lib/index.js', 'code')
    scratch.link('root/node_modules/lib', '.store/lib@1/node_modules/lib')
    scratch.link('root/packages/app/node_modules', '../../node_modules')
    const sandbox = makeSandbox(scratch)
    expect(readText(sandbox, 'packages/app/node_modules/lib/index.js')).toBe('code')
  })

  it('answers execution_failed for loops, and for a dangling link inside names what would be created', () => {
    const scratch = makeScratch()
    scratch.link('root/loop', 'loop')
    scratch.link('root/dangling', 'later/new.txt')
    const sandbox = makeSandbox(scratch)
    expect(codeOf(() => sandbox.locate('loop', 'read'))).toBe('execution_failed')
    expect(codeOf(() => sandbox.locate('loop/x', 'write'))).toBe('execution_failed')
    expect(sandbox.locate('dangling', 'write')).toMatchObject({ rel: 'later/new.txt', kind: 'missing' })
    expect(codeOf(() => readText(sandbox, 'dangling'))).toBe('execution_failed')
  })
})
