#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Lint as a test: one line for each tool.
cd "$(dirname "$0")/.." && exec tests/lint --tap
