import { agent } from "@callsign/runtime";
import { bind, schemas } from "./callsign.gen.ts";
import { type ModelSettings, runExample } from "./run-example.ts";

/**
 * What was converted, and how.
 *
 * @schema
 */
export interface ConversionResult {
  originalValue: number;
  originalUnit: string;
  convertedValue: number;
  targetUnit: string;
  formula: string;
}

/**
 * Converts a temperature from Celsius to Fahrenheit.
 *
 * @tool
 */
export function celsiusToFahrenheit(celsius: number): number {
  return (celsius * 9) / 5 + 32;
}

/**
 * Converts a distance from kilometres to miles.
 *
 * @tool
 */
export function kilometresToMiles(kilometres: number): number {
  return kilometres * 0.621371;
}

bind({ celsiusToFahrenheit, kilometresToMiles });

/** Tools first, for the exact value; then the answer in a format. */
export async function unitConverter(settings: ModelSettings, request: string): Promise<ConversionResult> {
  const converter = agent("You convert units. Compute with the tools, then say what was converted and how.", {
    ...settings,
    tools: [celsiusToFahrenheit, kilometresToMiles],
    responseFormat: schemas.ConversionResult,
  });
  return converter(request);
}

if (import.meta.main) await runExample(unitConverter, "Convert 100 km to miles");
