export { PostgresStore, type PostgresStoreOptions } from "../durable/stores/postgres-store.js";
