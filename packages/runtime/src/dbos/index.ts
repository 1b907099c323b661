export { DbosCarrier, type DbosCarrierOptions } from "../durable/carriers/dbos-carrier.js";
