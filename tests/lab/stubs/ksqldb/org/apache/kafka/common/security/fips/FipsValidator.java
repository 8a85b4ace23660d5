package org.apache.kafka.common.security.fips;

import java.util.List;
import java.util.Map;
import org.apache.kafka.common.security.auth.SecurityProtocol;

/** What ksqlDB asks of a validator; the lab has none. */
public interface FipsValidator {
  void validateFipsTls(Map<String, List<String>> settings);

  void validateFipsBrokerProtocol(Map<String, SecurityProtocol> protocols);

  void validateRestProtocol(String protocol);
}
