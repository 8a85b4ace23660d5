package org.apache.kafka.common.security.fips;

/** The mode that ConfluentConfigs declares. */
public final class FipsSecurityConfig {
  /** FIPS is switched off. */
  public enum FipsMode {
    NONE;

    public static FipsMode fromString(String text) {
      return NONE;
    }
  }
}
