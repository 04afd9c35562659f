import { describeChanging } from './contract/changing.ts'
import { describeReading } from './contract/reading.ts'
import { describeResolving } from './contract/resolving.ts'
import type { OpenRoot } from './contract/setup.ts'
import { describeWalking } from './contract/walking.ts'

/** What every root does, whatever the system gives it to work with. */
export function describeRoot(rootName: string, open: OpenRoot): void {
  describeResolving(rootName, open)
  describeReading(rootName, open)
  describeWalking(rootName, open)
  describeChanging(rootName, open)
}
