"""What happens to pipelines, a line of JSON each, on the standard logger `relay.audit`.

Every line has the level INFO, so whoever wants them sets that and a handler:

    logging.getLogger("relay.audit").setLevel(logging.INFO)
"""

from __future__ import annotations

import json
import logging

from relay_git.pipeline.notice import Notice
from relay_git.record import as_dict

_LOG = logging.getLogger("relay.audit")


def listening() -> bool:
    return _LOG.isEnabledFor(logging.INFO)


def audit(notice: Notice) -> None:
    """An observer. The line has the fields of the notice that say something."""
    said = {name: value for name, value in as_dict(notice).items() if value is not None}
    _LOG.info("%s", json.dumps(said))
