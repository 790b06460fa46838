import type { AgentCard } from '@a2a-js/sdk';
import { agentCard } from '#a2a';
import type { Address } from '../http/address.js';
import { version } from '../version.js';

/** The card, made when it is first asked for: before that the service does not know its own address. */
export class LedgerCard {
  #card: AgentCard | undefined;

  constructor(private readonly address: Address) {}

  current(): AgentCard {
    return (this.#card ??= agentCard(this.address.publicUrl, version));
  }
}
