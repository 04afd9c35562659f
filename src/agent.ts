export type {
  AnswerReport,
  ContextReport,
  Conversation,
  ConversationOptions,
  HeldCall,
  InterruptedCall,
  Recovery,
  SendOptions,
  ToolAnswer,
} from './agent/conversation.ts'
export { isTurnEvent } from './agent/events.ts'
export type { ConversationEvent, ScreenEvent, Stop, TurnEvent, Usage } from './agent/events.ts'
export type { LoopState } from './agent/loop/loop-state.ts'
export { openConversation } from './agent/open-conversation.ts'
export type { ModelClient, ModelDelta, ModelMessage, ModelRequest } from './model/model-client.ts'
export { openModel } from './model/open-model.ts'
