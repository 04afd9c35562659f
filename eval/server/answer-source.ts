import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Answer, Call } from './chat.ts'

/** Where answers come from: null means that there is none, and the runner gets an error. */
export type AnswerSource = (body: string, index: number) => Promise<Answer | null>

const LOOK_AGAIN_MS = 100

/** The answers of a recording, in order. */
export function replay(answers: readonly (Answer | null)[]): AnswerSource {
  return (_body, index) => Promise.resolve(answers[index] ?? null)
}

/**
 * Answers from files: a request is written to `FOLDER/NAME.N.request.json`, and whoever plays the model writes
 * `FOLDER/NAME.N.answer.json`, such as `{"text": "…", "calls": [{"name": "read_file", "args": {"path": "a"}}]}`.
 */
export function answeredByHand(folder: string, name: string): AnswerSource {
  mkdirSync(folder, { recursive: true })
  return async (body, index) => {
    const stem = join(folder, `${name}.${String(index).padStart(3, '0')}`)
    writeFileSync(`${stem}.part`, body)
    renameSync(`${stem}.part`, `${stem}.request.json`)
    while (!existsSync(`${stem}.answer.json`)) await wait(LOOK_AGAIN_MS)
    return readAnswer(readFileSync(`${stem}.answer.json`, 'utf8'), index)
  }
}

interface WrittenAnswer {
  readonly text?: string
  readonly calls?: readonly { readonly id?: string; readonly name: string; readonly args: unknown }[]
}

function readAnswer(text: string, index: number): Answer {
  const written = JSON.parse(text) as WrittenAnswer
  const calls = (written.calls ?? []).map(({ id, name, args }, at): Call => ({
    id: id ?? `call_${index}_${at}`,
    name,
    args: typeof args === 'string' ? args : JSON.stringify(args),
  }))
  return { text: written.text ?? '', calls }
}
