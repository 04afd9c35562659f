import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { App, NamedCall } from '../../eval/runners/apps.ts'
import type { Place } from '../../eval/runners/runner.ts'
import { serve } from '../../eval/server/serve.ts'
import type { AnswerSource } from '../../eval/server/answer-source.ts'
import { startTurn } from '../../eval/trial.ts'
import { median } from '../measure.ts'
import { cpuOfEnded, watchPeak } from './process-tree.ts'
import { isDone, scriptModel, sessionFiles } from './script.ts'

/** What one run of the scripted session was like. */
export interface Played {
  /** From the start of the process to its first request. */
  readonly firstRequestMs: number
  /** From the answer that asks for a file to be read to the request with its text. */
  readonly roundTripMs: number
  readonly cpuMs: number
  readonly peakMegabytes: number
}

/** A folder with files, a home, which is kept if it is given, and a model server; gone at the end. */
export async function withPlace<T>(
  files: Readonly<Record<string, string>>,
  source: AnswerSource,
  work: (place: Place) => Promise<T>,
  kept?: string,
): Promise<T> {
  const top = mkdtempSync(join(tmpdir(), 'tongs-felt-'))
  const [root, home] = [join(top, 'work'), kept ?? join(top, 'home')]
  for (const folder of [root, home]) mkdirSync(folder, { recursive: true })
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text)
  const server = await serve({ kind: 'source', source }, () => true)
  try {
    return await work({ root, home, url: server.url, provider: 'compatible', model: 'eval' })
  } finally {
    server.close()
    rmSync(top, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }
}

/** Has an agent do the scripted session in a folder of its own; what it remembers in its home makes the next one quicker. */
export async function playSession(app: App, home: string, calls: readonly NamedCall[]): Promise<Played> {
  const model = scriptModel(calls)
  const play = async (place: Place): Promise<Played> => {
    app.runner.configure(place)
    const before = cpuOfEnded()
    const startedAt = performance.now()
    const { child, end } = startTurn(app.runner.command(place, 'Renew every part.', true), place)
    const watch = watchPeak(child.pid ?? 0)
    const { exit, printed, errors } = await end
    const peakMegabytes = watch.stop()
    const cpuMs = cpuOfEnded() - before
    const isAnswered = model.exchanges.length === calls.length + 1
    const read = (name: string): string => readFileSync(join(place.root, name), 'utf8')
    if (exit !== 0 || !isAnswered || (calls.length > 0 && !isDone(read)))
      throw new Error(
        `${app.runner.name} ended with ${exit} after ${model.exchanges.length} requests: ${printed.slice(-2000)}${errors.slice(-2000)}`,
      )
    const [readName] = app.read('')
    const trips = model.exchanges.slice(1).map(({ askedAt }, at) => {
      return { name: calls[at]?.[0], ms: askedAt - (model.exchanges[at]?.answeredAt ?? Number.NaN) }
    })
    return {
      firstRequestMs: (model.exchanges[0]?.askedAt ?? Number.NaN) - startedAt,
      roundTripMs: median(trips.filter(({ name }) => name === readName).map(({ ms }) => ms)),
      cpuMs,
      peakMegabytes,
    }
  }
  return withPlace(sessionFiles(), model.source, play, home)
}
