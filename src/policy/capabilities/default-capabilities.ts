/**
 * What tools may have unless the configuration says otherwise. Having a capability is not a permission to use it: what
 * changes anything is still asked about. `strict` lets nothing reach the network, `agent` nothing be reached.
 */
export const DEFAULT_CAPABILITIES = {
  agent: ['filesystem.*', 'process.*', 'network.connect', 'system.*', 'state.*'],
  strict: ['filesystem.*', 'process.*', 'system.*', 'state.*'],
} as const
