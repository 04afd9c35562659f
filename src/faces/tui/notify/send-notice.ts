import { resolve } from 'node:path'
import type { Settings } from '../../../config/keys.ts'
import { homeFolder } from '../../../host/fs/folders.ts'
import type { Environment } from '../../../host/fs/folders.ts'
import { pathOutside } from '../../../host/run/order-path.ts'
import { readCommandOutput } from '../../../host/run/read-command-output.ts'
import { noticeSequence } from '../../../terminal/terminal-sequences.ts'
import type { News } from './notifier.ts'

const TIMEOUT_MS = 10_000
const MAX_BYTES = 65_536

/** What a person is told; nothing of it comes from a call or a model. */
const SENTENCES: Readonly<Record<News, string>> = {
  ended: 'Tongs has finished.',
  asked: 'Tongs has a question.',
}

/** Where notices go. */
export interface NoticePlace {
  readonly root: string
  readonly settings: Pick<Settings, 'notify.command' | 'notify.terminal' | 'tools.sandbox.allowed_roots'>
  readonly env: Environment
  /** Writes to the terminal. */
  readonly emit: (sequence: string) => void
}

/** Notifies a person as their configuration says; resolves to what went wrong, or null. */
export async function sendNotice(news: News, place: NoticePlace): Promise<string | null> {
  const { root, settings, env, emit } = place
  const sentence = SENTENCES[news]
  emit(noticeSequence(sentence, settings['notify.terminal'], env))
  const words = settings['notify.command']
  if (words.length === 0) return null
  const roots = [root, ...settings['tools.sandbox.allowed_roots'].map((path) => resolve(root, path))]
  const end = await readCommandOutput({
    argv: [...words, sentence],
    cwd: homeFolder(env),
    env: { ...env, PATH: pathOutside(env['PATH'] ?? '', roots) || '/usr/bin:/bin' },
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_BYTES,
  })
  return end.ok ? null : `notify.command: the program ${JSON.stringify(words[0] ?? '')} ${end.why}.`
}
