import type { PlanEntry } from '@agentclientprotocol/sdk'

/** A work item, as far as a plan shows it. */
export interface PlannedItem {
  readonly title: string
  readonly status: string
}

const STATUSES: Readonly<Record<string, PlanEntry['status']>> = {
  completed: 'completed',
  done: 'completed',
  cancelled: 'completed',
  in_progress: 'in_progress',
}

/** Work items as the entries of a plan. */
export function toPlan(items: readonly PlannedItem[]): PlanEntry[] {
  return items.map(({ title, status }) => ({
    content: title,
    priority: 'medium',
    status: STATUSES[status] ?? 'pending',
  }))
}
