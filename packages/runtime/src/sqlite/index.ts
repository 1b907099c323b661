export { SqliteStore, type SqliteStoreOptions } from "../durable/stores/sqlite-store.js";
export { SqliteSessionStore, type SqliteSessionStoreOptions } from "./sqlite-session-store.js";
