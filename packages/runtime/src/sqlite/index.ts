export { SqliteStore, type SqliteStoreOptions } from "../durable/stores/sqlite-store.js";
