/** What an error says, for a line to people. */
export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
