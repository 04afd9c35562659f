import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Approver } from '../../../src/core/approval.ts'
import { openDesk } from '../../../src/faces/tui/desk.ts'
import type { Desk, DeskHooks } from '../../../src/faces/tui/desk.ts'
import { loadConfiguration } from '../../../src/runtime/configure/load-configuration.ts'
import type { AppOpening } from '../../../src/terminal/app-opening.ts'
import { bench } from '../../bench-folder.ts'
import type { Bench } from '../../bench-folder.ts'

export type ScriptTurn = {
  readonly text?: string
  readonly calls?: readonly { readonly id: string; readonly name: string; readonly args: object }[]
}

/** A desk on a folder of its own, with a scripted model if there is a script. */
export interface TestDesk {
  readonly b: Bench
  readonly desk: Desk
  readonly open: () => Promise<Desk>
  /** Every view that was shown, in order. */
  readonly views: readonly ReturnType<Desk['view']>[]
  readonly opening: AppOpening
  readonly hooks: DeskHooks
}

const agree: Approver = (requests) => requests.map(() => 'once' as const)

export async function testDesk(
  turns: readonly ScriptTurn[] | null,
  wish: {
    readonly files?: Readonly<Record<string, string>>
    readonly approve?: Approver
    readonly given?: Readonly<Record<string, unknown>>
  } = {},
): Promise<TestDesk> {
  const b = bench({ ...(wish.files ?? { 'a.txt': 'alpha\n' }) })
  const script = join(b.top, 'script.json')
  if (turns !== null) writeFileSync(script, JSON.stringify({ turns }))
  const place = { root: b.root, stateDir: join(b.top, 'state') }
  const views: ReturnType<Desk['view']>[] = []
  let current: Desk | null = null
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
  const hooks: DeskHooks = {
    approve: wish.approve ?? agree,
    onChange: () => {
      if (current !== null) views.push(current.view())
    },
  }
  const open = async (): Promise<Desk> => {
    const model = turns === null ? null : `script:${script}`
    current = await openDesk(opening, { session: 's', preset: null, model }, hooks)
    return current
  }
  return { b, desk: await open(), open, views, opening, hooks }
}
