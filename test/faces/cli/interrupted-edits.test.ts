import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { PATIENCE_MS } from '../../harness/patience.ts'
import { tamper } from '../../runtime/approvals/tamper.ts'
import { inRoot, makeShop, shopHere, TONGS, writes } from './command-line.ts'
import type { Shop } from './command-line.ts'

const shops: Shop[] = []
afterAll(() => {
  for (const made of shops) made.remove()
})

const STOPS = { id: 'm', name: 'run_command', args: { command: 'echo x > ../marks; sleep 60' } }
const OPTIONS = ['--yes', '--set', 'tools.run_command.enabled=true', '--set', 'tools.shell.layer=off']
const UNCONFINED = ['--set', 'tools.shell.sandbox=external', '--set', 'tools.shell.external_label=test']

/** A run that is killed after two of three edits of one message. */
async function killed() {
  const made = makeShop({ 'kept.txt': 'kept\n' })
  shops.push(made)
  const script = join(made.stateDir, '..', 'script.json')
  const turns = [{ calls: [writes('a'), writes('b'), STOPS, writes('c')] }, { text: 'Then I go on.' }]
  writeFileSync(script, JSON.stringify({ turns }))
  const model = ['--model', `script:${script}`]
  const words = ['run', 'go', '--session', 's', ...model, ...OPTIONS, ...UNCONFINED]
  const child = spawn(TONGS, inRoot(words, made.root), {
    cwd: made.root,
    env: made.env,
    stdio: 'ignore',
    detached: true,
  })
  const ended = new Promise((resolve) => child.on('close', resolve))
  await vi.waitUntil(() => made.get('../marks') !== null, { timeout: PATIENCE_MS, interval: 20 })
  const listed = await made.tongs(['sessions', '--json'])
  expect(JSON.parse(listed.out)).toMatchObject({ sessions: [{ name: 's', open: true }] })
  process.kill(-(child.pid ?? 0), 'SIGKILL')
  await ended
  return { made, here: shopHere(made), model }
}

const SUM = 'session s: 3 edits of one message: 2 in place (a, b), 1 never began (c).'

describe('several edits of one message, after a kill', () => {
  it('are said in one line, and resumed: the model is told what is in place and goes on', async () => {
    const { made, here, model } = await killed()
    const { out } = await here.tongs(['sessions', '--json'])
    expect(JSON.parse(out)).toMatchObject({ sessions: [{ name: 's', open: false }] })
    expect((await here.tongs(['recover'])).out.split('\n')[0]).toBe(SUM)
    expect((await here.tongs(['run', 'something else', ...model, '--dry-run', '--json'])).code).not.toBe(2)
    await here.tongs(['recover', '--resume'])
    expect(['a', 'b', 'c'].map(made.get)).toEqual(['a\n', 'b\n', null])
    const next = await here.tongs(['run', '--continue', '--session', 's', ...model])
    expect([next.code, next.out.includes('Then I go on.')]).toEqual([0, true])
  })

  it('are named also if another program hides that they were interrupted, and the session has a way on', async () => {
    const { made, here, model } = await killed()
    await here.tongs(['recover'])
    tamper(made, (database) => database.exec('DELETE FROM open_call'))
    const goOn = ['run', '--continue', '--session', 's', ...model]
    const refused = await here.tongs(goOn)
    expect(refused.code).not.toBe(0)
    expect(refused.err).toContain('tongs recover')
    const { out } = await here.tongs(['recover'])
    expect(out).toMatch(/in_doubt +run_command .*does not verify.*run tongs audit verify, then tongs repair/s)
    expect(out).toMatch(/in_doubt +write_file/)
    await here.tongs(['recover', '--resume'])
    expect((await here.tongs(['recover'])).out).toContain('Nothing was interrupted')
    expect((await here.tongs(goOn)).out).toContain('Then I go on.')
  })

  it('are taken back by a discard, which redo reverts', async () => {
    const { made, here } = await killed()
    const discarded = await here.tongs(['recover', '--discard'])
    expect(discarded.out.split('\n')[0]).toBe(SUM)
    expect(['a', 'b', 'c', 'kept.txt'].map(made.get)).toEqual([null, null, null, 'kept\n'])
    expect((await here.tongs(['recover'])).out).toContain('Nothing was interrupted')
    await here.tongs(['redo', '--yes'])
    expect(['a', 'b'].map(made.get)).toEqual(['a\n', 'b\n'])
    expect((await here.tongs(['audit', 'verify'])).code).toBe(0)
  })

  it('stay where a person changed one of them since: it is named, and nothing is lost', async () => {
    const { made, here } = await killed()
    made.put('b', 'b\nand mine\n')
    const discarded = await here.tongs(['recover', '--discard'])
    expect(discarded.err).toContain('Changed since: b.')
    expect(['a', 'b'].map(made.get)).toEqual(['a\n', 'b\nand mine\n'])
    expect((await here.tongs(['undo', '--turn', '--except', 'b', '--yes'])).code).toBe(0)
    expect(['a', 'b'].map(made.get)).toEqual([null, 'b\nand mine\n'])
  })
})
