/** Version of the service, as the documentation and the agent card tell it. */
export const version = '0.3.0';
