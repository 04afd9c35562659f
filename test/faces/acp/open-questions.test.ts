import type { RequestPermissionResponse } from '@agentclientprotocol/sdk'
import { expect, it } from 'vitest'
import type { EditorClient } from '../../../src/faces/acp/editor-client.ts'
import { openQuestions } from '../../../src/faces/acp/questions/open-questions.ts'
import { callFactsOf } from '../../../src/faces/acp/turns/describe-call.ts'
import { bench } from '../../bench-folder.ts'
import { requestOf } from '../../harness/sample-request.ts'

/** A question that is put to a client, with the dialog's answer in our hands. */
async function asking() {
  const runtime = await bench().open()
  const dialog = Promise.withResolvers<RequestPermissionResponse>()
  const isAsked = Promise.withResolvers<void>()
  const notices: string[] = []
  const client = {
    can: { later: true },
    askPermission: () => {
      isAsked.resolve()
      return dialog.promise
    },
    notice: async (_severity: string, text: string) => void notices.push(text),
  }
  const questions = openQuestions({
    client: client as unknown as EditorClient,
    facts: () => callFactsOf(runtime),
    announce: async () => undefined,
    showWaiting: async () => undefined,
  })
  const { signal } = new AbortController()
  const approved = questions.approve([requestOf({ id: 'q1' })], { signal, seconds: 60, grantSeconds: 60 })
  await isAsked.promise
  const pick = (optionId: string): void => dialog.resolve({ outcome: { outcome: 'selected', optionId } })
  return { questions, approved, pick, notices }
}

/** Until whatever follows from what was said has happened. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

it('a question that a dialog has answered takes no second answer, before its batch goes on as well', async () => {
  const { questions, approved, pick, notices } = await asking()
  pick('once')
  const ends: unknown[] = []
  // As close behind it as a message in the same piece can be.
  for (let turn = 0; turn < 12; turn++) {
    await Promise.resolve()
    ends.push(questions.answer('q1', { answer: 'deny' }).is)
  }
  const [given] = (await approved) as readonly { readonly answer: string }[]
  expect(ends.filter((end) => end === 'taken')).toHaveLength(given?.answer === 'deny' ? 1 : 0)
  await settled()
  expect(questions.answer('q1', { answer: 'deny' })).toMatchObject({ is: 'overtaken', first: given })
  expect(notices).toHaveLength(given?.answer === 'deny' ? 1 : 0)
})

it('a question that was answered tells the dialog whose answer came second', async () => {
  const { questions, approved, pick, notices } = await asking()
  expect(questions.answer('q1', { answer: 'deny' })).toEqual({ is: 'taken' })
  expect(questions.answer('q1', { answer: 'once' })).toMatchObject({ is: 'overtaken' })
  pick('once')
  expect(await approved).toEqual([{ answer: 'deny' }])
  await settled()
  expect(notices).toEqual([
    expect.stringMatching(/came too late: the call was already denied, and the first answer counts\.$/),
  ])
})

it('a dialog that is closed after the answer is told nothing', async () => {
  const { questions, approved, pick, notices } = await asking()
  questions.answer('q1', { answer: 'once' })
  pick('later')
  expect(await approved).toEqual([{ answer: 'once' }])
  await settled()
  expect(notices).toEqual([])
})
