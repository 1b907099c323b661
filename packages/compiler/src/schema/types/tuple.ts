import type { JsonSchema } from "@callsign/runtime/manifest";
import * as messages from "../../errors/messages.js";
import { shapeMapper } from "../mapper.js";
import { slotSite } from "../type-site.js";

/** Tuples: fixed, optional and rest elements; labels become titles. */
export const tupleMapper = shapeMapper("tuple", {
  name: "tuple",
  toSchema: ({ shape }, site, context) => {
    const { slots } = shape;
    const restAt = slots.findIndex((slot) => slot.kind === "rest");
    if (restAt >= 0 && restAt < slots.length - 1) return context.fail(messages.restNotLast(), site);
    const prefixItems: JsonSchema[] = [];
    let rest: JsonSchema | undefined;
    for (const [index, slot] of slots.entries()) {
      const written = slot.written ?? context.checker.writtenPart(site.written, index);
      const at = slotSite(site, { index, place: slot.place ?? written, written }, context.checker);
      const mapped =
        slot.place === undefined
          ? context.map(slot.type, at)
          : context.mapWithDoc(slot.type, at, context.checker.doc(slot.place));
      const labelled =
        slot.label === undefined || slot.kind === "rest" || mapped.title !== undefined
          ? mapped
          : { ...mapped, title: slot.label };
      if (slot.kind === "rest") rest = labelled;
      else prefixItems.push(labelled);
    }
    const minItems = slots.filter((slot) => slot.kind === "required").length;
    if (rest !== undefined && prefixItems.length === 0) return { type: "array", items: rest };
    // A non-empty array: every provider understands this form, few understand prefixItems.
    if (rest !== undefined && prefixItems.every((item) => same(item, rest))) {
      return { type: "array", items: rest, ...(minItems > 0 ? { minItems } : {}) };
    }
    return {
      type: "array",
      ...(prefixItems.length > 0 ? { prefixItems } : {}),
      items: rest ?? false,
      ...(minItems > 0 ? { minItems } : {}),
      ...(rest === undefined ? { maxItems: prefixItems.length } : {}),
    };
  },
});

function same(a: JsonSchema, b: JsonSchema | undefined): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
