import { built } from './built.mjs';

const { openEmbeddedStore } = await built('event-store');

/** The embedded store as the service opens it. @param {string} folder */
export const openStore = (folder) => openEmbeddedStore({ folder });
