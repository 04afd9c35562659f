import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { RuntimeOptions } from '../../../src/runtime/create-runtime.ts'
import { bench } from '../../bench-folder.ts'
import { NO, tool } from './rule-stage.ts'

/** A tool that acts at once and answers much later, and how often it acted. */
function slowTool(changes: Readonly<Record<string, unknown>> = {}) {
  let acted = 0
  const slow = tool('send_mail', {
    effect: 'external',
    idempotent: false,
    async run(_args: object, { signal }: { readonly signal: AbortSignal }) {
      acted++
      await sleep(60_000, undefined, { signal })
      return { done: 'sent' }
    },
    ...changes,
  })
  return { slow, acted: () => acted }
}

const config = {
  'tools.approval.mode': 'auto',
  'tools.rules': [{ tool: 'send_mail', type: 'Cooldown', seconds: 3600 }],
} as const

/** Calls the slow tool twice in one session and says how both ended. */
async function callTwice(
  { slow }: ReturnType<typeof slowTool>,
  {
    files = {},
    meta = {},
    ...more
  }: Partial<RuntimeOptions> & { files?: Record<string, string>; meta?: object },
): Promise<readonly string[]> {
  const runtime = await bench(files).open({ tools: [slow], ...more, config: { ...config, ...more.config } })
  const codes: string[] = []
  for (const id of ['1', '2']) {
    const [result] = await runtime.run([{ id, name: 'send_mail', args: {}, meta }], { session: 's' })
    codes.push(result?.ok === false ? result.error.code : 'ok')
  }
  await runtime.close()
  return codes
}

describe('a call that was cut short and may have acted', () => {
  it('starts a cooldown if its caller shortened its time', async () => {
    const mail = slowTool()
    expect(await callTwice(mail, { meta: { timeout: 0.05 } })).toEqual(['timeout', NO])
    expect(mail.acted()).toBe(1)
  })

  it.each(['default', 'max'])(
    "starts a cooldown if the project's file shortened its time (%s)",
    async (which) => {
      const mail = slowTool()
      const files = { '.tongs.toml': `tools.timeouts.${which}_seconds = 0.05\n` }
      expect(await callTwice(mail, { files })).toEqual(['timeout', NO])
      expect(mail.acted()).toBe(1)
    },
  )

  it('P-RULE-Cooldown: starts none if it had all the time that its tool and the user give it', async () => {
    const mail = slowTool()
    const short = { config: { 'tools.timeouts.default_seconds': 0.05 } }
    expect(await callTwice(mail, short)).toEqual(['timeout', 'timeout'])
    expect(await callTwice(slowTool({ limits: { maxExecutionTimeMs: 50 } }), {})).toEqual([
      'timeout',
      'timeout',
    ])
  })

  it('starts none if nothing of it can be left', async () => {
    const reader = slowTool({ effect: 'read' })
    const short = { meta: { timeout: 0.05 }, config: { 'tools.retry.max': 0 } }
    expect(await callTwice(reader, short)).toEqual(['timeout', 'timeout'])
  })

  it('starts a cooldown if it was cancelled', async () => {
    const mail = slowTool()
    const runtime = await bench().open({ tools: [mail.slow], config })
    const stop = new AbortController()
    const calls = [{ id: '1', name: 'send_mail', args: {} }]
    const running = runtime.run(calls, { session: 's', signal: stop.signal })
    await expect.poll(mail.acted).toBe(1)
    stop.abort()
    expect(await running).toMatchObject([{ error: { code: 'cancelled' } }])
    expect(await runtime.run(calls, { session: 's' })).toMatchObject([{ error: { code: NO } }])
    await runtime.close()
  })
})
