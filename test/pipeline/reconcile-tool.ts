import { object, string } from '../../src/schema/schema.ts'
import type { PowersOf, Reconciled } from '../../src/core/tool.ts'
import { defineTool } from '../../src/tools/define/define-tool.ts'

interface Receipt {
  readonly receipt: string
}

/** A tool that charges somebody, elsewhere. */
export function chargeTool({
  run = () => ({ receipt: '' }),
  reconcile,
}: {
  readonly run?: (context: PowersOf['external']) => Receipt
  readonly reconcile?: (key: string) => Reconciled<Receipt>
}) {
  return defineTool({
    name: 'charge',
    version: '1.0.0',
    description: 'Charge',
    effect: 'external',
    input: object({}, 'Nothing'),
    output: object({ receipt: string('What it was') }, 'A receipt'),
    run: (_args, context) => run(context),
    ...(reconcile === undefined ? {} : { reconcile }),
  })
}
