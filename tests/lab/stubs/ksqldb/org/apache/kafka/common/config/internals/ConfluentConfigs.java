package org.apache.kafka.common.config.internals;

import org.apache.kafka.common.security.fips.FipsSecurityConfig.FipsMode;
import org.apache.kafka.common.security.fips.FipsValidator;

/** Names that ksqlDB takes from a fork of Kafka's clients that is not public; FIPS is switched off. */
public final class ConfluentConfigs {
  public static final String ENABLE_FIPS_CONFIG = "enable.fips";
  public static final boolean ENABLE_FIPS_DEFAULT = false;
  public static final String ENABLE_FIPS_DOC = "";
  public static final String ENABLE_FIPS_MODE_CONFIG = "fips.mode";
  public static final String ENABLE_FIPS_MODE_CONFIG_DEFAULT = "NONE";
  public static final String ENABLE_FIPS_MODE_CONFIG_DOC = "";

  public static FipsValidator buildFipsValidator(FipsMode mode) {
    throw new UnsupportedOperationException("FIPS");
  }
}
