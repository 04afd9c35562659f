import { chmodSync, readFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createNotifier } from '../../../src/faces/tui/notify/notifier.ts'
import type { News } from '../../../src/faces/tui/notify/notifier.ts'
import { sendNotice } from '../../../src/faces/tui/notify/send-notice.ts'
import { noticeSequence } from '../../../src/terminal/terminal-sequences.ts'
import { makeScratch } from '../../harness/scratch.ts'

const IDLE = { isBusy: false, isAsking: false }
const BUSY = { isBusy: true, isAsking: false }
const ASKING = { isBusy: true, isAsking: true }
const AWAY_MS = 10_000

describe('news for a person who looks elsewhere', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  function watch() {
    const news: News[] = []
    return { news, ...createNotifier(AWAY_MS, (one) => news.push(one)) }
  }

  it('work that took long is told when it ends, once', () => {
    const { news, observe } = watch()
    observe(BUSY)
    vi.advanceTimersByTime(AWAY_MS)
    observe(BUSY)
    observe(IDLE)
    observe(IDLE)
    expect(news).toEqual(['ended'])
  })

  it('work that ends soon after a key is not told, however long its result is read', () => {
    const { news, observe, attend } = watch()
    attend()
    observe(BUSY)
    vi.advanceTimersByTime(AWAY_MS - 1)
    observe(IDLE)
    vi.advanceTimersByTime(AWAY_MS * 10)
    expect(news).toEqual([])
  })

  it('a question is told at once if the keyboard has been quiet, and otherwise as soon as it has', () => {
    const { news, observe, attend } = watch()
    observe(BUSY)
    vi.advanceTimersByTime(AWAY_MS)
    observe(ASKING)
    vi.advanceTimersByTime(0)
    expect(news).toEqual(['asked'])
    observe(BUSY)
    attend()
    observe(ASKING)
    vi.advanceTimersByTime(AWAY_MS - 1)
    expect(news).toEqual(['asked'])
    vi.advanceTimersByTime(1)
    expect(news).toEqual(['asked', 'asked'])
  })

  it('a question that a key was pressed for, or that is gone, is not told', () => {
    const { news, observe, attend } = watch()
    attend()
    observe(BUSY)
    observe(ASKING)
    attend()
    vi.advanceTimersByTime(AWAY_MS * 2)
    observe(BUSY)
    observe(ASKING)
    attend()
    observe(BUSY)
    vi.advanceTimersByTime(AWAY_MS * 2)
    expect(news).toEqual([])
  })

  it('a list that the person opened is not news', () => {
    const { news, observe } = watch()
    observe({ isBusy: false, isAsking: true })
    vi.advanceTimersByTime(AWAY_MS * 2)
    expect(news).toEqual([])
  })
})

describe('a notice', () => {
  it.each([
    ['auto', 'xterm-256color', '\u001b]9;Done.\u001b\\\u0007'],
    ['auto', 'linux', '\u0007'],
    ['bell', 'xterm-256color', '\u0007'],
    ['off', 'xterm-256color', ''],
  ] as const)('of kind %s in %s is %j', (notice, TERM, sequence) => {
    expect(noticeSequence('Done.', notice, { TERM })).toBe(sequence)
  })

  it('starts the command of the user with a sentence as its last word, from outside the workspace alone', async () => {
    const scratch = makeScratch()
    const noted = scratch.at('noted.txt')
    const program = (path: string, word: string): void => {
      scratch.file(path, `#!/bin/sh\necho "${word} $PWD $@" >> '${noted}'\n`)
      chmodSync(scratch.at(path), 0o755)
    }
    program('work/notify', 'theirs')
    program('home/notify', 'mine')
    const settings = {
      'notify.command': ['notify', 'now'],
      'notify.terminal': 'auto',
      'tools.sandbox.allowed_roots': [],
    } as const
    const sent: string[] = []
    const env = {
      HOME: scratch.at('home'),
      PATH: `${scratch.at('work')}:${scratch.at('home')}:/usr/bin:/bin`,
    }
    const place = { root: scratch.at('work'), settings, env, emit: (text: string) => void sent.push(text) }
    expect(await sendNotice('asked', place)).toBeNull()
    expect(readFileSync(noted, 'utf8')).toBe(`mine ${scratch.at('home')} now Tongs has a question.\n`)
    expect(sent).toEqual(['\u001b]9;Tongs has a question.\u001b\\\u0007'])
    const missing = { ...place, settings: { ...settings, 'notify.command': ['not-there'] } }
    expect(await sendNotice('ended', missing)).toMatch(/^notify\.command: the program "not-there" /)
  })
})
