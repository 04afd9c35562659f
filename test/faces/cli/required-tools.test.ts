import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { makeShop, shopHere } from './command-line.ts'
import type { CommandEnd, Shop } from './command-line.ts'

const shops: Shop[] = []

afterAll(() => {
  for (const made of shops) made.remove()
})

const RULES = `
[tools.shell]
ask = "before"
[[tools.rules]]
tool = "run_tests"
type = "RequiredBeforeExit"
`
const PASSING = { 'package.json': '{"scripts":{"test":"node --test"}}', 'a.test.js': '' }
const FAILING = { 'package.json': '{"scripts":{"nothing":""}}' }

/** A project in which the tests have to succeed before the work ends, and a model that only ever says that it is done. */
function project(files: Readonly<Record<string, string>>, where: 'here' | 'outside' = 'here') {
  const outside = makeShop(files)
  shops.push(outside)
  const made = where === 'here' ? shopHere(outside) : outside
  const script = join(made.stateDir, '..', 'script.json')
  writeFileSync(script, JSON.stringify({ turns: [...'123456'].map((text) => ({ text })) }))
  const user = join(made.stateDir, '..', 'user.toml')
  writeFileSync(user, RULES)
  const run = (...words: readonly string[]) =>
    made.tongs(['run', ...words, '--model', `script:${script}`, '--json', '--config', user])
  return { made, run, user }
}

function doneOf({ out }: CommandEnd) {
  const events = out.trim().split('\n')
  return JSON.parse(events.at(-1) ?? '{}') as { readonly stop: string; readonly missing?: readonly string[] }
}

describe('tests that a rule requires before the end', () => {
  it('are run by the runtime with a yes, and the turn ends well', async () => {
    const { run } = project(PASSING)
    const end = await run('go', '--yes')
    expect(end.out).toMatch(/"name":"run_tests","ok":true/)
    expect([end.code, doneOf(end).stop, doneOf(end).missing]).toEqual([0, 'end', []])
  })

  it('wait for an answer with 4, are met by a yes from another process, and the turn goes on to its end', async () => {
    const { made, run, user } = project(PASSING, 'outside')
    const first = await run('go', '--no-input')
    expect([first.code, doneOf(first).stop, doneOf(first).missing]).toEqual([
      4,
      'approval_pending',
      ['run_tests'],
    ])
    expect((await run('--continue', '--no-input')).code).toBe(4)
    const approved = await made.tongs(['approve', 'all', '--config', user])
    expect([approved.code, approved.err]).toEqual([0, ''])
    const second = await run('--continue', '--no-input')
    expect([second.code, doneOf(second).stop, doneOf(second).missing]).toEqual([0, 'end', []])
  })

  it('stay unmet after a no, which is said, with 1, and not asked again', async () => {
    const { made, run, user } = project(PASSING)
    await run('go', '--no-input')
    expect((await made.tongs(['deny', 'all', '--config', user])).code).toBe(3)
    const end = await run('--continue', '--no-input')
    expect([end.code, doneOf(end).stop, doneOf(end).missing]).toEqual([1, 'end', ['run_tests']])
    expect(end.err).toContain('tongs: the rules require run_tests, which did not succeed in this turn')
  })

  it('that cannot be run are said as well', async () => {
    const end = await project(FAILING).run('go', '--yes')
    expect([end.code, doneOf(end).stop, doneOf(end).missing]).toEqual([1, 'end', ['run_tests']])
    expect(end.err).toContain('tongs: the rules require run_tests')
  })

  it('before the start wait with 4 too, and after a yes the turn goes on', async () => {
    const { made } = project(PASSING)
    const script = join(made.stateDir, '..', 'other.json')
    const list = (id: string) => ({ calls: [{ id, name: 'list_files', args: {} }] })
    const turns = [list('1'), list('2'), list('3'), list('4'), { text: 'Done.' }]
    writeFileSync(script, JSON.stringify({ turns }))
    const user = join(made.stateDir, '..', 'start.toml')
    writeFileSync(user, RULES.replace('RequiredBeforeExit', 'StartConstraint'))
    const run = (...words: readonly string[]) =>
      made.tongs(['run', ...words, '--model', `script:${script}`, '--json', '--config', user, '--no-input'])
    const first = await run('go')
    expect([first.code, doneOf(first).stop]).toEqual([4, 'approval_pending'])
    expect(await run('--continue')).toMatchObject({ code: 4 })
    expect(await made.tongs(['approve', 'all', '--config', user])).toMatchObject({ code: 0, err: '' })
    const second = await run('--continue')
    expect([second.code, doneOf(second).stop, doneOf(second).missing]).toEqual([0, 'end', []])
    expect(second.out).toMatch(/"name":"list_files","ok":true/)
  })

  it('a start that was required and never came is said too', async () => {
    const { made } = project(FAILING)
    const script = join(made.stateDir, '..', 'other.json')
    const list = { id: 'c', name: 'list_files', args: {} }
    writeFileSync(script, JSON.stringify({ turns: [{ calls: [list] }, { text: 'Done.' }] }))
    const user = join(made.stateDir, '..', 'start.toml')
    writeFileSync(user, RULES.replace('RequiredBeforeExit', 'StartConstraint'))
    const end = await made.tongs(['run', 'go', '--model', `script:${script}`, '--json', '--config', user])
    expect([end.code, doneOf(end).missing]).toEqual([1, ['run_tests']])
    expect(existsSync(join(made.root, 'ran'))).toBe(false)
  })
})
