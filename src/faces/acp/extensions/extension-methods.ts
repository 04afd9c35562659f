import type { AgentApp, MaybePromise } from '@agentclientprotocol/sdk'
import type { SessionTable } from '../session-table.ts'

/** The methods beyond the protocol. */
export const EXTENSION_METHODS: readonly string[] = []

/** Adds them to the agent. */
export function registerExtensions(
  app: AgentApp,
  _sessions: SessionTable,
  _guarded: <T>(act: () => MaybePromise<T>) => Promise<T>,
): AgentApp {
  return app
}
