import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AppPowers } from '../../../src/faces/tui/commands/app-command.ts'
import type { Approver } from '../../../src/core/approval.ts'
import { openSession } from '../../../src/faces/tui/open-session.ts'
import type { AppSession } from '../../../src/faces/tui/app-session.ts'
import type { AppSessionHooks } from '../../../src/faces/tui/open-session.ts'
import { loadConfiguration } from '../../../src/runtime/configure/load-configuration.ts'
import type { AppOpening } from '../../../src/terminal/app-opening.ts'
import { bench } from '../../bench-folder.ts'
import type { Bench } from '../../bench-folder.ts'

export type ScriptTurn = {
  readonly text?: string
  readonly calls?: readonly { readonly id: string; readonly name: string; readonly args: object }[]
}

/** A session on a folder of its own, with a scripted model if there is a script. */
export interface TestSession {
  readonly b: Bench
  readonly session: AppSession
  readonly open: () => Promise<AppSession>
  /** Every view that was shown, in order. */
  readonly views: readonly ReturnType<AppSession['view']>[]
  readonly opening: AppOpening
  readonly hooks: AppSessionHooks
}

const agree: Approver = (requests) => requests.map(() => 'once' as const)

export async function testSession(
  turns: readonly ScriptTurn[] | null,
  wish: {
    readonly files?: Readonly<Record<string, string>>
    readonly approve?: Approver
    readonly given?: Readonly<Record<string, unknown>>
  } = {},
): Promise<TestSession> {
  const b = bench({ ...(wish.files ?? { 'a.txt': 'alpha\n' }) })
  const script = join(b.top, 'script.json')
  if (turns !== null) writeFileSync(script, JSON.stringify({ turns }))
  const place = { root: b.root, stateDir: join(b.top, 'state') }
  const views: ReturnType<AppSession['view']>[] = []
  let current: AppSession | null = null
  const opening: AppOpening = {
    ...place,
    session: null,
    isContinuing: false,
    actor: 'ada',
    isAgreeing: false,
    model: null,
    baseUrl: null,
    protocol: 'auto',
    limits: {},
    preset: null,
    load: (preset) =>
      loadConfiguration({
        ...place,
        env: {},
        isPersonal: false,
        preset: preset ?? undefined,
        given: wish.given,
      }),
  }
  const hooks: AppSessionHooks = {
    approve: wish.approve ?? agree,
    onChange: () => {
      if (current !== null) views.push(current.view())
    },
  }
  const open = async (): Promise<AppSession> => {
    const model = turns === null ? null : `script:${script}`
    current = await openSession(opening, { session: 's', preset: null, model }, hooks)
    return current
  }
  return { b, session: await open(), open, views, opening, hooks }
}

/** The powers of an app in which nobody answers and nothing is shown. */
export function idlePowers(session: AppSession): AppPowers {
  const nothing = async (): Promise<void> => undefined
  return {
    session: () => session,
    reopen: nothing,
    settling: () => null,
    dialogs: { choose: async () => null, type: async () => null, during: async () => null },
    setUp: async () => false,
    prefill: () => undefined,
    confirm: async () => false,
    askPending: nothing,
    decideInterruption: async () => null,
    copy: () => null,
    showCall: () => undefined,
    clear: () => session.clear(),
    toggleTasks: () => undefined,
    chosenCall: () => null,
    quit: () => undefined,
  }
}
