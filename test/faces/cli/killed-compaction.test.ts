import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { streamOf } from '../../../eval/server/chat.ts'
import { TOP } from '../../../scripts/run-tool.ts'
import { PATIENCE_MS } from '../../harness/patience.ts'
import { startModelServer } from '../../model/model-server.ts'
import type { Answer } from '../../model/model-server.ts'
import { makeShop } from './command-line.ts'

const PROMPT = 'Tell me all about the "old" parser.'
const LONG = 'It reads one line after another. '.repeat(500)
const WINDOW_TOKENS = 8000

/** What the provider says; it counts tokens by the given number of bytes. */
const says = (text: string, requestBytes: number): Answer => ({
  pieces: [streamOf({ text, calls: [] }, requestBytes)],
})

it('a process that is killed in the middle of a compaction has lost nothing: the next one compacts and goes on', async () => {
  const shop = makeShop({ 'a.txt': 'one\n' })
  onTestFinished(shop.remove)
  const server = await startModelServer(
    says(LONG, 4 * 2000),
    { pieces: [], ending: 'hang' },
    says('SUMMARY: the parser reads lines.', 4 * 6000),
    says('It does.', 4 * 3000),
  )
  const model = ['--model', 'compatible/m', '--base-url', `${server.url}/v1`]
  const options = [...model, '--json', '--no-input', '--set', `model.context_tokens=${WINDOW_TOKENS}`]
  expect((await shop.tongs(['run', PROMPT, ...options])).code).toBe(0)

  const child = spawn(
    process.execPath,
    [join(TOP, 'bin/tongs.cjs'), 'run', 'Does it?', '--continue', '--root', shop.root, ...options],
    { env: shop.env, stdio: 'ignore' },
  )
  const ended = once(child, 'close')
  await vi.waitFor(() => expect(server.seen.length).toBe(2), { timeout: PATIENCE_MS, interval: 20 })
  child.kill('SIGKILL')
  await ended
  expect(server.seen[1]?.body).not.toContain('Does it?')
  expect((await shop.tongs(['log'])).out).not.toContain('compacted')

  const end = await shop.tongs(['run', '--continue', 'Does it?', ...options])
  expect(end).toMatchObject({ code: 0 })
  expect(end.out).toContain('It does.')
  expect((await shop.tongs(['log'])).out.match(/ compacted /g)).toHaveLength(1)
  const [, , again, last] = server.seen
  expect(again?.body).toContain('reads one line')
  expect(last?.body).toContain('SUMMARY: the parser reads lines.')
  expect(last?.body).toContain(JSON.stringify(PROMPT).slice(1, -1))
  expect(last?.body).not.toContain('reads one line')
  expect((await shop.tongs(['audit', 'verify'])).code).toBe(0)
})
