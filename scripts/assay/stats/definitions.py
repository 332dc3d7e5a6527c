"""Every statistic in a few sentences with its source: what the methodology note quotes."""

DEFINITIONS: dict[str, str] = {
    "bootstrap": (
        "Uncertainty is that of the choice of entries: 10,000 resamples (2,000 for agreement, length and halo; fixed "
        "seed) each draw as many entries as there are, with replacement, and take all captures and all judges' "
        "verdicts of a drawn entry together. Judges and configurations are as they are: an interval says what other "
        "entries of the same kind would have changed, not what other judges or other answers would. Efron, Annals of "
        "Statistics 7 (1979) 1-26."
    ),
    "mean": (
        "The exact arithmetic mean over scored captures. Its 95 % interval is the studentised bootstrap (bootstrap-t) "
        "over entries, cut at the ends of the scale; chosen because the plain percentile interval covers too little "
        "with few entries and scores crowded at the top. In simulations with 12 to 196 entries it covers 93-97 %; "
        "with 12 entries of which one in ten is a rare bad failure, about 91 %. With fewer than five entries, or when "
        "all scores are equal, no interval is given. Efron and Tibshirani, An Introduction to the Bootstrap (1993), "
        "section 12.5."
    ),
    "failure_rate": (
        "Failed captures divided by scored captures, with the Wilson score 95 % interval. Wilson, Journal of the "
        "American Statistical Association 22 (1927) 209-212; Newcombe, Statistics in Medicine 17 (1998) 857-872, "
        "method 3."
    ),
    "ranking": (
        "Configurations by mean, equal means sharing a rank. The share of a rank, and of the whole ranking, is the "
        "share of bootstrap resamples in which it is the same. Two neighbours cannot be told apart when their paired "
        "difference is not significant at 5 % after Holm's correction. Goldstein and Spiegelhalter, Journal of the "
        "Royal Statistical Society A 159 (1996) 385-443, on the uncertainty of rankings."
    ),
    "paired_difference": (
        "The exact mean of the difference over the entries that both configurations have, with a studentised "
        "bootstrap 95 % interval over entries. Efron and Tibshirani (1993), section 12.5."
    ),
    "sign_flip": (
        "Two-sided p-value: the share of sign patterns of the differences whose absolute sum is at least the observed "
        "one. All patterns are counted up to 18 differences that are not zero; otherwise 10,000 random ones (fixed "
        "seed), with the observed one counted too, so that p is never 0. Fisher, The Design of Experiments (1935), "
        "section 21; Phipson and Smyth, Statistical Applications in Genetics and Molecular Biology 9 (2010) article "
        "39."
    ),
    "holm": (
        "p-values corrected for the number of comparisons by Holm's step-down method, which keeps the chance of any "
        "false finding under 5 % whatever the dependence. Holm, Scandinavian Journal of Statistics 6 (1979) 65-70."
    ),
    "agreement_interval": (
        "The 95 % interval of a measure of agreement, correlation or association is the expanded percentile bootstrap "
        "interval over entries: quantiles of 2,000 resamples, set wider by the ratio of Student's t to the normal. "
        "Hesterberg, The American Statistician 69 (2015) 371-386."
    ),
    "bias": (
        "Mean of the first judge's score minus the second's over the captures that both scored. Bland and Altman, "
        "Lancet 327 (1986) 307-310."
    ),
    "deviation_ratio": (
        "Standard deviation of the first judge's scores divided by that of the second's: above 1, the first spreads "
        "its scores wider."
    ),
    "pearson": (
        "Product-moment correlation of two judges' scores: do they move together, whatever their level. Pearson, "
        "Proceedings of the Royal Society 58 (1895) 240-242."
    ),
    "spearman": (
        "Product-moment correlation of mid-ranks: do the judges order the captures alike. Spearman, American Journal "
        "of Psychology 15 (1904) 72-101."
    ),
    "quadratic_kappa": (
        "Cohen's kappa with quadratic weights: agreement beyond chance, where a disagreement counts with the square "
        "of its distance. Decimal scores are first sorted into categories of half a point, halves up (7.25 counts as "
        "7.5). Cohen, Psychological Bulletin 70 (1968) 213-220; Fleiss and Cohen, Educational and Psychological "
        "Measurement 33 (1973) 613-619."
    ),
    "icc_single": (
        "ICC(2,1): the share of variance that is between captures, for one judge's score, judges a random sample, "
        "absolute agreement. Over the captures that every judge scored. Shrout and Fleiss, Psychological Bulletin 86 "
        "(1979) 420-428."
    ),
    "icc_average": (
        "ICC(2,k): the same for the mean of the panel's k judges, which is the score that is published. Shrout and "
        "Fleiss (1979)."
    ),
    "alpha": (
        "Krippendorff's alpha at interval level: 1 minus observed over expected disagreement; any number of judges, "
        "missing scores allowed. 1 is full agreement, 0 what chance would give, below 0 worse. Krippendorff, Content "
        "Analysis (4th edition, 2019); Computing Krippendorff's Alpha-Reliability (2011)."
    ),
    "self_preference": (
        "Difference in differences: how much more a judge gives than the other judges do to configurations that "
        "contain its own model alone, minus the same for configurations that contain no judge's model, within "
        "entries. Configurations with another judge's model are left out. Studentised bootstrap interval, sign-flip "
        "p-value. Panickssery, Bowman and Feng, LLM Evaluators Recognize and Favor Their Own Generations (2024); "
        "Zheng and others, Judging LLM-as-a-Judge with MT-Bench and Chatbot Arena (2023), section 3.3."
    ),
    "family_favour": (
        "How much more a judge gives a family's entries than the other judges do, minus the same over all other "
        "entries; p-value by giving the families out anew at random 10,000 times, Holm-corrected over judges and "
        "families. Good, Permutation, Parametric and Bootstrap Tests of Hypotheses (3rd edition, 2005)."
    ),
    "length": (
        "Within configurations: the mean of Spearman's correlations of score and answer length, and the pooled slope "
        "in points per doubling of the length. Longer answers may be better, so an association is not by itself a "
        "bias; judges of one panel can be compared. Zheng and others (2023), section 3.3, on verbosity bias."
    ),
    "halo": (
        "Mean Pearson correlation between the criteria within one judge: high when the judge gives one verdict rather "
        "than several. Thorndike, Journal of Applied Psychology 4 (1920) 25-29."
    ),
    "sensitivity": (
        "The ranking under each judge alone, without the cap, with equal weights, and with each weight 10 points (of "
        "100) lower and higher, the other weights rescaled in proportion so that the sum stays 100; a weight is kept "
        "between 0 and 100. Saltelli and others, Global Sensitivity Analysis: The Primer (2008)."
    ),
    "kendall": (
        "Kendall's tau-b between a changed ranking and the run's own: 1 the same order, -1 the reverse. Kendall, "
        "Biometrika 33 (1945) 239-251."
    ),
}
