import type { Approver } from '../../../src/core/approval.ts'
import { createRuntime } from '../../../src/runtime/create-runtime.ts'
import { labelCalls } from '../label-calls.ts'
import type { Face } from '../face.ts'
import type { Person } from '../person.ts'

const SESSION = 's'

/** `runtime.run` and its neighbours: what the other faces are compared with. */
export const library: Face = {
  name: 'library',
  hasBatches: true,
  origin: 'person',
  async open({ root, stateDir }, { settings = {}, preset }) {
    let person: Person | null = null
    const approve: Approver = (requests) => {
      if (person === null) throw new Error('a question came before any call')
      const { isLater, answer } = person
      return isLater ? 'later' : requests.map((request) => answer(request))
    }
    const runtime = await createRuntime({
      root,
      stateDir,
      approve,
      config: settings,
      durability: 'normal',
      actor: { id: 'ada' },
      ...(preset === undefined ? {} : { preset }),
    })
    return {
      run(calls, how) {
        person = how.person
        return runtime.run(labelCalls(calls), {
          session: SESSION,
          origin: how.like.origin,
          ...(how.like.hasBatches ? {} : { turn: 'the turn' }),
          ...(how.cancel === null ? {} : { signal: how.cancel }),
        })
      },
      async answer(later) {
        person = later
        for (;;) {
          const [request] = await runtime.pending({ session: SESSION })
          if (request === undefined) throw new Error('nothing is waiting')
          const { answer, ...rest } = later.answer(request)
          const { results, open, faults } = await runtime.decide([request.id], {
            session: SESSION,
            isApproved: answer !== 'deny',
            ...rest,
          })
          if (faults.length > 0) throw new Error(JSON.stringify(faults))
          if (open.length === 0) return results
        }
      },
      async undo({ last, isTurn }) {
        const report = await runtime.undo({
          session: SESSION,
          ...(last === undefined ? {} : { last }),
          ...(isTurn === undefined ? {} : { turn: true }),
        })
        if (!report.ok) throw new Error(report.message ?? 'not undone')
      },
      async redo() {
        const report = await runtime.redo({ session: SESSION })
        if (!report.ok) throw new Error(report.message ?? 'not redone')
      },
      close: () => runtime.close(),
    }
  },
}
