/** Why our client does not do what a scenario of the conformance suite wants. */
export const CLIENT_DIFFERENCES: Readonly<Record<string, string>> = {
  'elicitation-sep1034-client-defaults':
    'A server gets nothing from us but its calls, so it cannot ask our user.',
  'sep-2322-client-request-state': 'A server gets nothing from us but its calls, so it cannot ask our user.',
  'auth/pre-registration':
    'There is no setting for a client that was registered by hand; a token in headers works.',
}
