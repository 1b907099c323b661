export { writeValidators } from "./write-validators.js";
