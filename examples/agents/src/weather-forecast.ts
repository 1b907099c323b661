import { agent } from "@callsign/runtime";
import { schemas } from "./callsign.gen.ts";
import { type ModelSettings, runExample } from "./run-example.ts";

/**
 * The weather of one day in one city.
 *
 * @schema
 */
export interface WeatherForecast {
  city: string;
  temperatureCelsius: number;
  /** In a few words. */
  conditions: string;
  /**
   * How likely rain is.
   *
   * @minimum 0
   * @maximum 1
   */
  precipitationChance: number;
  /** What to wear or to take along. */
  recommendation: string;
}

/** The answer is a WeatherForecast, checked, and no text. */
export async function weatherForecast(settings: ModelSettings, city: string): Promise<string> {
  const forecaster = agent("You forecast the weather of a city, with realistic estimates.", {
    ...settings,
    responseFormat: schemas.WeatherForecast,
  });
  const { temperatureCelsius, precipitationChance, recommendation } = await forecaster(city);
  return `${temperatureCelsius} °C, rain ${Math.round(precipitationChance * 100)} %. ${recommendation}`;
}

if (import.meta.main) await runExample(weatherForecast, "Bergen");
